import { defineItem } from "../../define-item.ts";

export const runItem = defineItem({
  type: "run",
  keys: {
    run: (tenant: string, message: string) => ({ pk: `${tenant}#run#${message}`, sk: "run" }),
  },
  prefixes: {},
  index: {},
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "parent",
});
