import { defineItem } from "../../define-item.ts";

export const issuerLookupItem = defineItem({
  type: "issuer-lookup",
  keys: {
    /** Identity provider of a tenant by a hash of issuer and audience, read before the tenant is known. */
    issuerLookup: (hash: string) => ({ pk: `~issuer#${hash}`, sk: "issuer" }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "tenant",
});
