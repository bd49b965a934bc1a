import { defineItem } from "../../define-item.ts";

export const eventDeliveryItem = defineItem({
  type: "event-delivery",
  keys: {
    /** Event to deliver to an endpoint; delivery ids sort by time. */
    eventDelivery: (tenant: string, endpoint: string, delivery: string) => ({
      pk: `${tenant}#event-endpoint#${endpoint}`,
      sk: delivery,
    }),
  },
  partitionOf: { "event-endpoint": "" },
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "expiry",
});
