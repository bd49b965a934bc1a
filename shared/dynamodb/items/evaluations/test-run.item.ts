import { defineItem } from "../../define-item.ts";

export const testRunItem = defineItem({
  type: "test-run",
  keys: {
    testRun: (tenant: string, run: string) => ({ pk: `${tenant}#test-runs`, sk: run }),
  },
  index: {
    /** Runs of a set, in creation order. */
    testRunOfSet: (tenant: string, set: string, run: string) => ({
      gsi1pk: `${tenant}#test-set#${set}#runs`,
      gsi1sk: run,
    }),
  },
  recordsActor: ["put", "update"],
  processors: ["cascade"],
  audit: {
    kind: "test_run",
    id: "id",
    parent: "set_id",
    values: ["persona_id", "columns", "max_cost_usd", "status"],
    only: ["created", "updated"],
    isActivity: (before, after) => before.status === after.status,
    verb: (before, after) => (before ? String(after.status) : undefined),
  },
  erasedWith: "parent",
});
