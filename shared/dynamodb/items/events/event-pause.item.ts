import { defineItem } from "../../define-item.ts";

export const eventPauseItem = defineItem({
  type: "event-pause",
  keys: {
    /** Pause in the deliveries to an endpoint after its receiver failed. */
    eventPause: (tenant: string, endpoint: string) => ({ pk: `${tenant}#event-pauses`, sk: endpoint }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
