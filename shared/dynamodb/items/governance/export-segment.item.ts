import { defineItem } from "../../define-item.ts";

export const exportSegmentItem = defineItem({
  type: "export-segment",
  keys: {
    /** Part of the text of an export, which exceeds one item. */
    exportSegment: (tenant: string, id: string, index: number) => ({
      pk: `${tenant}#export#${id}`,
      sk: String(index).padStart(6, "0"),
    }),
  },
  partitionOf: { export: "" },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
