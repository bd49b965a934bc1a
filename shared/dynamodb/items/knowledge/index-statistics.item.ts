import { defineItem } from "../../define-item.ts";
import type { KeyOwner } from "../../key-owner.ts";

export const indexStatisticsItem = defineItem({
  type: "index-statistics",
  keys: {
    /** Statistics of the search index of one audience, or the lists of readers that name a group or person. */
    indexStatistics: (tenant: string, audience: KeyOwner) => ({ pk: `${tenant}#index#${audience}`, sk: "statistics" }),
  },
  partitionOf: { group: "group#" },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
