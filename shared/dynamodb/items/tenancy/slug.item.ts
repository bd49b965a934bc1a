import { defineItem } from "../../define-item.ts";

export const slugItem = defineItem({
  type: "slug",
  keys: {
    slug: (slug: string) => ({ pk: `~slug#${slug}`, sk: "slug" }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "tenant",
});
