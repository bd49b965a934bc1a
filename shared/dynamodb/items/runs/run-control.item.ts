import { defineItem } from "../../define-item.ts";

export const runControlItem = defineItem({
  type: "run-control",
  keys: {
    /** Request to stop a run, and the lease of the process that generates it. Most runs have no such item. */
    runControl: (tenant: string, message: string) => ({ pk: `${tenant}#run#${message}`, sk: "control" }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
