import { defineItem } from "../../define-item.ts";

const prefix = "summary#";

export const summaryItem = defineItem({
  type: "summary",
  keys: {
    /** Summary of a branch of a conversation; `until` is the last message that it covers. */
    summary: (tenant: string, conversation: string, until: string) => ({
      pk: `${tenant}#conversation#${conversation}`,
      sk: `${prefix}${until}`,
    }),
  },
  prefixes: { summary: prefix },
  // Counted as usage.
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "parent",
});
