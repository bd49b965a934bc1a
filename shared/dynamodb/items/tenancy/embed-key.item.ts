import { defineItem } from "../../define-item.ts";
import { revocation } from "../../revocation.ts";

export const embedKeyItem = defineItem({
  type: "embed-key",
  keys: {
    embedKey: (tenant: string, key: string) => ({ pk: `${tenant}#embed-keys`, sk: key }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "embed_key",
    id: "id",
    values: [
      "key_prefix",
      "persona_id",
      "allowed_origins",
      "require_signed_visitor",
      "attachments",
      "transcripts",
      "daily_tokens",
      "tools",
      "is_revoked",
    ],
    redacted: ["name", "theme"],
    verb: revocation,
  },
  erasedWith: "tenant",
});
