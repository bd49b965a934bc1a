import { deleteTeamsWorkspaceRoute } from "#shared/api/teams/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { workspaceDeletion } from "#shared/messengers/workspace-store.ts";
import { teamsLookups, teamsWorkspaces } from "#shared/teams/workspace-store.ts";

export const handler = endpoint(deleteTeamsWorkspaceRoute, async ({ principal, params: { id }, commit }) =>
  commit(undefined, ...workspaceDeletion(teamsWorkspaces, teamsLookups, principal, id)),
);
