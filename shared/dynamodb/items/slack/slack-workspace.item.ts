import { defineItem } from "../../define-item.ts";

export const slackWorkspaceItem = defineItem({
  type: "slack-workspace",
  keys: {
    slackWorkspace: (tenant: string, workspace: string) => ({ pk: `${tenant}#slack-workspaces`, sk: workspace }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "slack_workspace",
    id: "id",
    values: ["persona_id", "enabled", "team_id", "team_name", "installed_at"],
    redacted: ["name", "sealed_token", "sealed_secret"],
    // Tokens that expire are exchanged by the service.
    isActivity: (before, after) => before.refreshing_until !== after.refreshing_until,
  },
  erasedWith: "tenant",
});
