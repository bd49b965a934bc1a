import { defineItem } from "../../define-item.ts";
import type { KeyOwner } from "../../key-owner.ts";

export const vectorStateItem = defineItem({
  type: "vector-state",
  keys: {
    /** Progress of the job that computes vectors for the passages of an audience. */
    vectorState: (tenant: string, audience: KeyOwner) => ({ pk: `${tenant}#index#${audience}`, sk: "vectors" }),
  },
  recordsActor: [],
  processors: ["cascade", "index-documents"],
  audit: false,
  erasedWith: "parent",
});
