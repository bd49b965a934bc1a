import { defineItem } from "../../define-item.ts";

export const handoverItem = defineItem({
  type: "handover",
  keys: {
    /** Hand-over of a visitor's session to a person. */
    handover: (tenant: string, conversation: string) => ({
      pk: `${tenant}#conversation#${conversation}`,
      sk: "handover",
    }),
  },
  index: {
    /** Sessions that wait for a person or are with one, in order of the requests. */
    openHandover: (tenant: string, requestedAt: string, conversation: string) => ({
      gsi1pk: `${tenant}#handovers`,
      gsi1sk: `${requestedAt}#${conversation}`,
    }),
  },
  recordsActor: ["put", "update"],
  processors: ["cascade"],
  audit: {
    kind: "handover",
    id: "conversation_id",
    values: ["status", "reason", "person_id"],
    redacted: ["note", "outcome", "contact_email"],
    isActivity: (before, after) =>
      ["status", "requested_at", "person_id", "note", "contact_email"].every((name) => before[name] === after[name]),
    verb: (before, after) =>
      before?.status === after.status && before?.person_id === after.person_id
        ? undefined
        : after.status === "waiting"
          ? "requested"
          : String(after.status),
  },
  erasedWith: "expiry",
});
