import { defineItem } from "../../define-item.ts";

export const investigationRecordItem = defineItem({
  type: "investigation-record",
  keys: {
    /** Alert, tool result or report that belongs to an investigation. */
    investigationRecord: (tenant: string, investigation: string, record: string) => ({
      pk: `${tenant}#investigation#${investigation}`,
      sk: record,
    }),
  },
  partitionOf: { investigation: "" },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
