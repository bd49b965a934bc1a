import { getTeamsWorkspaceRoute } from "#shared/api/teams/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getWorkspace } from "#shared/messengers/workspace-store.ts";
import { teamsWorkspaces, toTeamsWorkspace } from "#shared/teams/workspace-store.ts";

export const handler = endpoint(getTeamsWorkspaceRoute, async ({ principal, params, baseUrl }) =>
  toTeamsWorkspace(await getWorkspace(teamsWorkspaces, principal, params.id), baseUrl),
);
