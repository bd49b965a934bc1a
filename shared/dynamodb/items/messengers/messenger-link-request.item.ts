import { defineItem } from "../../define-item.ts";

export const messengerLinkRequestItem = defineItem({
  type: "messenger-link-request",
  keys: {
    /** Account in a messenger that was sent a link to connect to a user, by a hash of the link's token. */
    messengerLinkRequest: (tenant: string, workspace: string, hash: string) => ({
      pk: `${tenant}#slack-link-requests#${workspace}`,
      sk: hash,
    }),
  },
  partitionOf: { "slack-workspace": "", "teams-workspace": "" },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
