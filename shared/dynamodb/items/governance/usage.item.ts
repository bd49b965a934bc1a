import { defineItem } from "../../define-item.ts";

export const usageItem = defineItem({
  type: "usage",
  keys: {
    /** Usage of one subject on one day; `shard` distributes a busy tenant over several partitions. */
    usage: (tenant: string, shard: number, subject: string) => ({ pk: `${tenant}#usage#${shard}`, sk: subject }),
  },
  prefixes: {},
  index: {},
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "tenant",
});
