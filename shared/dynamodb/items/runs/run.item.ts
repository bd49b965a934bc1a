import { defineItem } from "../../define-item.ts";

export const runItem = defineItem({
  type: "run",
  keys: {
    run: (tenant: string, message: string) => ({ pk: `${tenant}#run#${message}`, sk: "run" }),
  },
  partitionOf: { message: "" },
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "parent",
});
