import { defineItem } from "../../define-item.ts";

export const completionItem = defineItem({
  type: "completion",
  keys: {
    completion: (tenant: string, completion: string) => ({
      pk: `${tenant}#completion#${completion}`,
      sk: "completion",
    }),
  },
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "expiry",
});
