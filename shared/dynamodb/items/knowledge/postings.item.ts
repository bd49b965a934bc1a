import { defineItem } from "../../define-item.ts";
import type { KeyOwner } from "../../key-owner.ts";

export const postingsItem = defineItem({
  type: "postings",
  keys: {
    /** Block of the posting list of a term; `from` is the lowest rank that the block can contain. */
    postings: (tenant: string, audience: KeyOwner, term: string, from: string) => ({
      pk: `${tenant}#postings#${audience}#${term}`,
      sk: from,
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
