import { defineItem } from "../../define-item.ts";

export const completionCancellationItem = defineItem({
  type: "completion-cancellation",
  keys: {
    /** Request to stop a completion of the OpenAI-compatible API while it is being generated. */
    completionCancellation: (tenant: string, completion: string) => ({
      pk: `${tenant}#completion#${completion}`,
      sk: "cancellation",
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
