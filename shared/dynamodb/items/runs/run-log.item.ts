import { defineItem } from "../../define-item.ts";

const prefix = "log#";

export const runLogItem = defineItem({
  type: "run-log",
  keys: {
    runLog: (tenant: string, message: string, firstSeq: number) => ({
      pk: `${tenant}#run#${message}`,
      sk: `${prefix}${String(firstSeq).padStart(8, "0")}`,
    }),
  },
  prefixes: { runLog: prefix },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
