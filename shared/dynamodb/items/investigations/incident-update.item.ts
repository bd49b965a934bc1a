import { defineItem } from "../../define-item.ts";

const prefix = "update#";

export const incidentUpdateItem = defineItem({
  type: "incident-update",
  keys: {
    incidentUpdate: (tenant: string, investigation: string, update: string) => ({
      pk: `${tenant}#investigation#${investigation}`,
      sk: `${prefix}${update}`,
    }),
  },
  prefixes: { incidentUpdate: prefix },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "incident_update",
    target: ["investigation", "investigation_id"],
    id: "id",
    values: ["action", "provider", "target", "status", "approval_id", "requested_by"],
    redacted: ["text"],
    only: ["created", "updated"],
  },
  erasedWith: "parent",
});
