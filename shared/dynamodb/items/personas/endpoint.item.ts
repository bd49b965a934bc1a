import { defineItem } from "../../define-item.ts";

export const endpointItem = defineItem({
  type: "endpoint",
  keys: {
    /** Published persona, by its model name in the OpenAI-compatible API. */
    endpoint: (tenant: string, slug: string) => ({ pk: `${tenant}#endpoints`, sk: slug }),
  },
  recordsActor: ["put", "update"],
  processors: ["cascade"],
  audit: false,
  erasedWith: "parent",
});
