import { createSlackWorkspaceRoute } from "#shared/api/slack/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { newId } from "#shared/lib/ids.ts";
import { assertRoomForWorkspace, newWorkspaceWrites } from "#shared/messengers/workspace-store.ts";
import { authorizePersonaUse } from "#shared/personas/persona-store.ts";
import { sealSecrets } from "#shared/slack/workspace-secrets.ts";
import { slackLookups, slackWorkspaces, toSlackWorkspace } from "#shared/slack/workspace-store.ts";

export const handler = endpoint(createSlackWorkspaceRoute, async ({ principal, body, baseUrl, commit }) => {
  const { name, persona_id } = body;
  if (persona_id !== null) await authorizePersonaUse(principal, persona_id);
  await assertRoomForWorkspace(slackWorkspaces, principal);
  const id = newId();
  const workspace = {
    id,
    name,
    persona_id,
    enabled: true,
    team_id: null,
    team_name: null,
    bot_user_id: null,
    error: null,
    sealed_token: null,
    sealed_secret: null,
    created_at: timestamp(),
    ...(await sealSecrets(principal, id, body, null)),
  };
  return commit(
    toSlackWorkspace(workspace, baseUrl),
    ...newWorkspaceWrites(slackWorkspaces, slackLookups, principal, workspace),
  );
});
