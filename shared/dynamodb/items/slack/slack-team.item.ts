import { defineItem } from "../../define-item.ts";

export const slackTeamItem = defineItem({
  type: "slack-team",
  keys: {
    /** Slack workspace in which the deployment's app is installed, by a hash of Slack's team id. */
    slackTeam: (teamHash: string) => ({ pk: `~slack-team#${teamHash}`, sk: "slack-team" }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "tenant",
});
