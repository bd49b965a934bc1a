import { deleteTeamsWorkspaceRoute } from "#shared/api/teams/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { workspaceDeletion } from "#shared/teams/workspace-store.ts";

export const handler = endpoint(deleteTeamsWorkspaceRoute, async ({ principal, params: { id }, commit }) =>
  commit(undefined, ...workspaceDeletion(principal, id)),
);
