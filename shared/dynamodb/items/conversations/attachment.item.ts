import { defineItem } from "../../define-item.ts";

const prefix = "attachment#";

export const attachmentItem = defineItem({
  type: "attachment",
  keys: {
    attachment: (tenant: string, conversation: string, attachment: string) => ({
      pk: `${tenant}#conversation#${conversation}`,
      sk: `${prefix}${attachment}`,
    }),
  },
  prefixes: { attachment: prefix },
  // A new attachment contains its author.
  recordsActor: ["update", "delete"],
  processors: ["cascade"],
  audit: { kind: "attachment", target: ["conversation", "conversation_id"], id: "id", only: ["deleted"] },
  erasedWith: "parent",
});
