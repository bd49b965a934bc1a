import { updateSlackWorkspaceRoute } from "#shared/api/slack/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { getWorkspace, workspaceChange } from "#shared/messengers/workspace-store.ts";
import { authorizePersonaUse } from "#shared/personas/persona-store.ts";
import { sealSecrets } from "#shared/slack/workspace-secrets.ts";
import { slackWorkspaces, toSlackWorkspace } from "#shared/slack/workspace-store.ts";

export const handler = endpoint(updateSlackWorkspaceRoute, async ({ principal, params, body, baseUrl, commit }) => {
  const workspace = await getWorkspace(slackWorkspaces, principal, params.id);
  const { bot_token, signing_secret, ...fields } = body;
  if (workspace.installed_at && (bot_token ?? signing_secret) !== undefined) {
    throw new ServiceError("conflict", "The workspace has the app of the deployment, whose secrets are not set here.");
  }
  if (fields.persona_id) await authorizePersonaUse(principal, fields.persona_id);
  const secrets = await sealSecrets(principal, params.id, { bot_token, signing_secret }, workspace.team_id);
  const changes = { ...fields, ...secrets };
  const changed = toSlackWorkspace({ ...workspace, ...changes }, baseUrl);
  return commit(changed, workspaceChange(slackWorkspaces, principal, params.id, changes));
});
