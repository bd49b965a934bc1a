import { defineItem } from "../../define-item.ts";

export const messengerLinkItem = defineItem({
  type: "messenger-link",
  keys: {
    /** Link from an account in a messenger to the user that it acts as. */
    messengerLink: (tenant: string, workspace: string, account: string) => ({
      pk: `${tenant}#slack-links#${workspace}`,
      sk: account,
    }),
  },
  index: {
    /** Messenger accounts that are linked to a user. */
    ownMessengerLinks: (tenant: string, user: string, link: string) => ({
      gsi1pk: `${tenant}#user#${user}#slack-links`,
      gsi1sk: link,
    }),
  },
  // Deleted in a batch with its workspace.
  partitionOf: { "slack-workspace": "", "teams-workspace": "" },
  recordsActor: ["put", "update"],
  processors: ["cascade"],
  audit: { kind: "messenger_link", id: "id", values: ["messenger", "workspace_id", "account_id", "user_id"] },
  erasedWith: "owner",
});
