import { updateTeamsWorkspaceRoute } from "#shared/api/teams/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getWorkspace, workspaceChange } from "#shared/messengers/workspace-store.ts";
import { authorizePersonaUse } from "#shared/personas/persona-store.ts";
import { sealApp } from "#shared/teams/app-secret.ts";
import { teamsWorkspaces, toTeamsWorkspace } from "#shared/teams/workspace-store.ts";

export const handler = endpoint(updateTeamsWorkspaceRoute, async ({ principal, params, body, baseUrl, commit }) => {
  const workspace = await getWorkspace(teamsWorkspaces, principal, params.id);
  const { app, ...fields } = body;
  if (fields.persona_id) await authorizePersonaUse(principal, fields.persona_id);
  const changes = { ...fields, ...(app && (await sealApp(principal, params.id, app))) };
  const changed = toTeamsWorkspace({ ...workspace, ...changes }, baseUrl);
  return commit(changed, workspaceChange(teamsWorkspaces, principal, params.id, changes));
});
