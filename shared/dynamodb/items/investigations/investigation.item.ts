import { defineItem } from "../../define-item.ts";

const prefix = "investigation#";

export const investigationItem = defineItem({
  type: "investigation",
  keys: {
    /** Investigation in its conversation's partition. */
    investigation: (tenant: string, conversation: string, investigation: string) => ({
      pk: `${tenant}#conversation#${conversation}`,
      sk: `${prefix}${investigation}`,
    }),
  },
  prefixes: { investigation: prefix },
  index: {
    /** Investigations of a tenant, in order of their start. */
    investigations: (tenant: string, investigation: string) => ({
      gsi1pk: `${tenant}#investigations`,
      gsi1sk: investigation,
    }),
  },
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "parent",
});
