import { defineItem } from "../../define-item.ts";

export const rateItem = defineItem({
  type: "rate",
  keys: {
    /** Counter of one quota and minute; `shard` distributes a large quota over several partitions. */
    rate: (tenant: string, owner: string, shard: number, minute: number) => ({
      pk: `${tenant}#rate#${owner}#${shard}`,
      sk: String(minute),
    }),
    /** Counter of requests without credentials; `hash` is that of a client address or link token, neither of which is stored. */
    anonymousRate: (kind: string, hash: string, minute: number) => ({
      pk: `~rate#${kind}#${hash}`,
      sk: String(minute),
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
