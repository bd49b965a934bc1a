import { defineItem } from "../../define-item.ts";

export const invitationItem = defineItem({
  type: "invitation",
  keys: {
    invitation: (tenant: string, invitation: string) => ({ pk: `${tenant}#invitations`, sk: invitation }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "invitation",
    id: "id",
    values: ["group_ids", "is_administrator", "expires_at", "accepted_by"],
    redacted: ["note"],
    verb: (before, after) => (before && after.accepted_by && !before.accepted_by ? "accepted" : undefined),
  },
  erasedWith: "expiry",
});
