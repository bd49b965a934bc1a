import { defineItem } from "../../define-item.ts";

export const teamsWorkspaceItem = defineItem({
  type: "teams-workspace",
  keys: {
    teamsWorkspace: (tenant: string, workspace: string) => ({ pk: `${tenant}#teams-workspaces`, sk: workspace }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "teams_workspace",
    id: "id",
    values: ["persona_id", "enabled", "app_id", "app_tenant_id", "teams_tenant_id"],
    redacted: ["name", "sealed_secret"],
  },
  erasedWith: "tenant",
});
