import { defineItem } from "../../define-item.ts";
import type { KeyOwner } from "../../key-owner.ts";

export const passageItem = defineItem({
  type: "passage",
  keys: {
    passage: (tenant: string, audience: KeyOwner, passage: number) => ({
      pk: `${tenant}#passages#${audience}#${passage >>> 8}`,
      sk: String(passage & 255).padStart(3, "0"),
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
