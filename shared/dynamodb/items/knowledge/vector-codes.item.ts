import { defineItem } from "../../define-item.ts";
import type { KeyOwner } from "../../key-owner.ts";

export const vectorCodesItem = defineItem({
  type: "vector-codes",
  keys: {
    /** Binary codes of the vectors of consecutive passages in one embedding space. */
    vectorCodes: (tenant: string, audience: KeyOwner, space: string, partition: number, page: number) => ({
      pk: `${tenant}#vectors#${audience}#${space}#${partition}`,
      sk: String(page).padStart(6, "0"),
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
