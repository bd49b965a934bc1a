import { defineItem } from "../../define-item.ts";

/** Prefix of the sort keys of items from answers, in the partition of their conversation. */
const prefix = "test-item#";

export const testItemItem = defineItem({
  type: "test-item",
  keys: {
    testItem: (tenant: string, set: string, item: string) => ({ pk: `${tenant}#test-set#${set}`, sk: item }),
    /** Item from an answer, in the partition of its conversation. */
    recordedTestItem: (tenant: string, conversation: string, set: string, item: string) => ({
      pk: `${tenant}#conversation#${conversation}`,
      sk: `${prefix}${set}#${item}`,
    }),
  },
  prefixes: { testItem: prefix },
  partitionOf: { "test-set": "" },
  index: {
    /** Items of a set, wherever they are. */
    testItemOfSet: (tenant: string, set: string, item: string) => ({
      gsi1pk: `${tenant}#test-set#${set}`,
      gsi1sk: item,
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
