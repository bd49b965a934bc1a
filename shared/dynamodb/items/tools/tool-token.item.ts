import { defineItem } from "../../define-item.ts";
import type { KeyOwner } from "../../key-owner.ts";

export const toolTokenItem = defineItem({
  type: "tool-token",
  keys: {
    /** OAuth tokens of a user, or of the whole tenant, for a tool server. */
    toolToken: (tenant: string, server: string, owner: KeyOwner) => ({
      pk: `${tenant}#tool-server#${server}#tokens`,
      sk: owner,
    }),
  },
  partitionOf: { "tool-server": "" },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "tool_sign_in",
    id: "server_id",
    values: ["owner", "issuer", "scope"],
    redacted: ["sealed_tokens"],
    only: ["created", "deleted"],
  },
  erasedWith: "owner",
});
