import { defineItem } from "../../define-item.ts";

export const messengerEventItem = defineItem({
  type: "messenger-event",
  keys: {
    /** Deduplication record of a message or button press in a messenger, by its position there: messengers repeat deliveries. */
    messengerEvent: (tenant: string, workspace: string, event: string) => ({
      pk: `${tenant}#slack-events#${workspace}`,
      sk: event,
    }),
  },
  partitionOf: { "slack-workspace": "", "teams-workspace": "" },
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "expiry",
});
