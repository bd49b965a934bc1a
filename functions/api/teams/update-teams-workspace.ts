import { updateTeamsWorkspaceRoute } from "#shared/api/teams/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizePersonaUse } from "#shared/personas/persona-store.ts";
import { sealApp } from "#shared/teams/app-secret.ts";
import { getWorkspace, toTeamsWorkspace, workspaceChange } from "#shared/teams/workspace-store.ts";

export const handler = endpoint(updateTeamsWorkspaceRoute, async ({ principal, params, body, baseUrl, commit }) => {
  const workspace = await getWorkspace(principal, params.id);
  const { app, ...fields } = body;
  if (fields.persona_id) await authorizePersonaUse(principal, fields.persona_id);
  const changes = { ...fields, ...(app && (await sealApp(principal, params.id, app))) };
  const changed = toTeamsWorkspace({ ...workspace, ...changes }, baseUrl);
  return commit(changed, workspaceChange(principal, params.id, changes));
});
