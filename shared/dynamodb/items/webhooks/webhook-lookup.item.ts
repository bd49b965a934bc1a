import { defineItem } from "../../define-item.ts";

export const webhookLookupItem = defineItem({
  type: "webhook-lookup",
  keys: {
    /** Lookup of a webhook channel. Channel ids are unique within the deployment, because the URL contains nothing else. */
    webhookLookup: (channelHash: string) => ({ pk: `~webhook-channel#${channelHash}`, sk: "webhook-channel" }),
  },
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "tenant",
});
