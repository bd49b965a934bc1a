import { defineItem } from "../../define-item.ts";
import { testItemItem } from "./test-item.item.ts";

export const testResultItem = defineItem({
  type: "test-result",
  keys: {
    testResult: (tenant: string, run: string, cell: string) => ({ pk: `${tenant}#test-run#${run}`, sk: cell }),
    /** Result of an item from an answer, in the partition of its conversation. */
    recordedTestResult: (tenant: string, conversation: string, run: string, cell: string) => ({
      pk: `${tenant}#conversation#${conversation}`,
      sk: `${testItemItem.prefixes.test}result#${run}#${cell}`,
    }),
  },
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
