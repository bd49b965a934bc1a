import { defineItem } from "../../define-item.ts";

export const runningImportsItem = defineItem({
  type: "running-imports",
  keys: {
    /** Number of imports of a tenant that are in progress. */
    runningImports: (tenant: string) => ({ pk: `${tenant}#running-imports`, sk: "running-imports" }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "tenant",
});
