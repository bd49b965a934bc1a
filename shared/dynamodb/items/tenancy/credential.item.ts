import { defineItem } from "../../define-item.ts";

export const credentialItem = defineItem({
  type: "credential",
  keys: {
    /** Lookup of an API key or embed key by the hash of its text; deleted when the key is revoked. */
    credential: (hash: string) => ({ pk: `~credential#${hash}`, sk: "credential" }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "tenant",
});
