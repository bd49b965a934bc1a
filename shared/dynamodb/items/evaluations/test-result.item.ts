import { defineItem } from "../../define-item.ts";

/** Prefix of the sort keys of results of items from answers, in the partition of their conversation. */
const prefix = "test-result#";

export const testResultItem = defineItem({
  type: "test-result",
  keys: {
    testResult: (tenant: string, run: string, cell: string) => ({ pk: `${tenant}#test-run#${run}`, sk: cell }),
    /** Result of an item from an answer, in the partition of its conversation. */
    recordedTestResult: (tenant: string, conversation: string, run: string, cell: string) => ({
      pk: `${tenant}#conversation#${conversation}`,
      sk: `${prefix}${run}#${cell}`,
    }),
  },
  prefixes: { testResult: prefix },
  partitionOf: { "test-run": "" },
  index: {
    /** Results of a run by item and column, wherever they are. */
    testResultOfRun: (tenant: string, run: string, cell: string) => ({
      gsi1pk: `${tenant}#test-run#${run}`,
      gsi1sk: cell,
    }),
  },
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "parent",
});
