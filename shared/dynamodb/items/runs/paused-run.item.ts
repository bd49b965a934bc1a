import { defineItem } from "../../define-item.ts";

export const pausedRunItem = defineItem({
  type: "paused-run",
  keys: {
    /** State that is needed to resume a run that is paused for an approval. */
    pausedRun: (tenant: string, message: string) => ({ pk: `${tenant}#run#${message}`, sk: "paused" }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
