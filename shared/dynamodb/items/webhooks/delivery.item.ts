import { defineItem } from "../../define-item.ts";

const prefix = "delivery#";

export const deliveryItem = defineItem({
  type: "delivery",
  keys: {
    /** Deduplication record of a webhook delivery; contains the message that was created from it. */
    delivery: (tenant: string, channel: string, fingerprint: string) => ({
      pk: `${tenant}#webhook#${channel}`,
      sk: `${prefix}${fingerprint}`,
    }),
  },
  prefixes: { delivery: prefix },
  index: {
    /** Webhook deliveries of a channel, in order of receipt. */
    deliveries: (tenant: string, channel: string, receivedAt: string) => ({
      gsi1pk: `${tenant}#webhook#${channel}#deliveries`,
      gsi1sk: receivedAt,
    }),
  },
  partitionOf: { webhook: "" },
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "expiry",
});
