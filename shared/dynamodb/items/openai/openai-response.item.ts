import { defineItem } from "../../define-item.ts";

export const openaiResponseItem = defineItem({
  type: "openai-response",
  keys: {
    /** Part of a stored response of the OpenAI-compatible API, which belongs to the API key that created it. */
    openaiResponse: (tenant: string, key: string, response: string, part: number) => ({
      pk: `${tenant}#response#${key}#${response}`,
      sk: String(part).padStart(3, "0"),
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
