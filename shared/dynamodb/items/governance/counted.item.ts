import { defineItem } from "../../define-item.ts";

export const countedItem = defineItem({
  type: "counted",
  keys: {
    /** Marker that the usage of a reply was counted, by a hash of the reply's id. */
    counted: (tenant: string, hash: string) => ({ pk: `${tenant}#counted#${hash}`, sk: "counted" }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
