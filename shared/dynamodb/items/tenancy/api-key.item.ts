import { defineItem } from "../../define-item.ts";
import { revocation } from "../../revocation.ts";

export const apiKeyItem = defineItem({
  type: "api-key",
  keys: {
    apiKey: (tenant: string, key: string) => ({ pk: `${tenant}#api-keys`, sk: key }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "api_key",
    id: "id",
    values: ["key_prefix", "scopes", "allowed_origins", "expires_at", "is_revoked"],
    redacted: ["description"],
    verb: revocation,
  },
  erasedWith: "tenant",
});
