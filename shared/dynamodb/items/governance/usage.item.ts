import { defineItem } from "../../define-item.ts";

/** Number of partitions over which the usage of a tenant is distributed. */
export const USAGE_SHARD_COUNT = 4;

export const usageItem = defineItem({
  type: "usage",
  keys: {
    /** Usage of one subject on one day; `shard` distributes a busy tenant over several partitions. */
    usage: (tenant: string, shard: number, subject: string) => ({ pk: `${tenant}#usage#${shard}`, sk: subject }),
  },
  partitionOf: { tenant: Array.from({ length: USAGE_SHARD_COUNT }, (_, shard) => String(shard)) },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "tenant",
});
