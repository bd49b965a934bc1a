import { listTeamsWorkspacesRoute } from "#shared/api/teams/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { listWorkspaces } from "#shared/messengers/workspace-store.ts";
import { teamsWorkspaces, toTeamsWorkspace } from "#shared/teams/workspace-store.ts";

export const handler = endpoint(listTeamsWorkspacesRoute, async ({ principal, query, baseUrl }) => {
  const { entries, next } = await listWorkspaces(teamsWorkspaces, principal, query);
  const workspaces = entries.map((workspace) => toTeamsWorkspace(workspace, baseUrl));
  return pageReply("workspaces", { entries: workspaces, next }, query.limit);
});
