import { defineItem } from "../../define-item.ts";

export const slackLookupItem = defineItem({
  type: "slack-lookup",
  keys: {
    /**
     * Connected Slack workspace by a hash of its id, read before the tenant is known: the URL that Slack calls contains nothing
     * else.
     */
    slackLookup: (workspaceHash: string) => ({ pk: `~slack-workspace#${workspaceHash}`, sk: "slack-workspace" }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "tenant",
});
