import { createTeamsCodeRoute } from "#shared/api/teams/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getWorkspace } from "#shared/messengers/workspace-store.ts";
import { newCode, teamsWorkspaces } from "#shared/teams/workspace-store.ts";

export const handler = endpoint(createTeamsCodeRoute, async ({ principal, params, commit }) => {
  const { write, ...code } = newCode(principal, await getWorkspace(teamsWorkspaces, principal, params.id));
  return commit(code, write);
});
