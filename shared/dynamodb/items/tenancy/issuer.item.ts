import { defineItem } from "../../define-item.ts";

export const issuerItem = defineItem({
  type: "issuer",
  keys: {
    issuer: (tenant: string, issuer: string) => ({ pk: `${tenant}#issuers`, sk: issuer }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: { kind: "issuer", id: "id", values: ["issuer", "audience", "jwks_url", "claims", "status"] },
  erasedWith: "tenant",
});
