import { createTeamsWorkspaceRoute } from "#shared/api/teams/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { newId } from "#shared/lib/ids.ts";
import { assertRoomForWorkspace, newWorkspaceWrites } from "#shared/messengers/workspace-store.ts";
import { authorizePersonaUse } from "#shared/personas/persona-store.ts";
import { sealApp } from "#shared/teams/app-secret.ts";
import { teamsLookups, teamsWorkspaces, toTeamsWorkspace } from "#shared/teams/workspace-store.ts";

export const handler = endpoint(createTeamsWorkspaceRoute, async ({ principal, body, baseUrl, commit }) => {
  const { name, persona_id, app } = body;
  if (persona_id !== null) await authorizePersonaUse(principal, persona_id);
  await assertRoomForWorkspace(teamsWorkspaces, principal);
  const id = newId();
  const workspace = {
    id,
    name,
    persona_id,
    enabled: true,
    app_id: null,
    app_tenant_id: null,
    sealed_secret: null,
    teams_tenant_id: null,
    service_url: null,
    error: null,
    created_at: timestamp(),
    ...(app && (await sealApp(principal, id, app))),
  };
  return commit(
    toTeamsWorkspace(workspace, baseUrl),
    ...newWorkspaceWrites(teamsWorkspaces, teamsLookups, principal, workspace),
  );
});
