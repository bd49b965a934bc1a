import { defineItem } from "../../define-item.ts";

export const slackInstallationItem = defineItem({
  type: "slack-installation",
  keys: {
    /** Pending installation of the Slack app that a user started, by a hash of its OAuth `state`. */
    slackInstallation: (tenant: string, user: string, hash: string) => ({
      pk: `${tenant}#user#${user}#slack-installations`,
      sk: hash,
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
