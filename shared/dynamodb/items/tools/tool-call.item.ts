import { defineItem } from "../../define-item.ts";

const prefix = "tool-call#";

export const toolCallItem = defineItem({
  type: "tool-call",
  keys: {
    /** Call of a tool server, in the partition of its conversation, in order of the calls' start. */
    toolCall: (tenant: string, conversation: string, call: string) => ({
      pk: `${tenant}#conversation#${conversation}`,
      sk: `${prefix}${call}`,
    }),
  },
  prefixes: { toolCall: prefix },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "tool_call",
    target: ["conversation", "conversation_id"],
    id: "id",
    values: ["server_id", "tool", "definition_hash", "status", "duration_ms"],
    redacted: ["input"],
    only: ["created", "updated"],
  },
  erasedWith: "parent",
});
