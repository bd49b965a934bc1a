import {
  createSlackWorkspaceRoute,
  deleteSlackWorkspaceRoute,
  getSlackWorkspaceRoute,
  listSlackWorkspacesRoute,
  receiveSlackAppRequestRoute,
  receiveSlackRequestRoute,
  updateSlackWorkspaceRoute,
} from "#shared/api/slack/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { newId } from "#shared/lib/ids.ts";
import { countMetric } from "#shared/lib/metrics.ts";
import {
  assertRoomForWorkspace,
  getWorkspace,
  listWorkspaces,
  newWorkspaceWrites,
  workspaceChange,
  workspaceDeletion,
} from "#shared/messengers/workspace-store.ts";
import { authorizePersonaUse } from "#shared/personas/persona-store.ts";
import { teamRelease } from "#shared/slack/app/installation-store.ts";
import { hasApp } from "#shared/slack/app/start-installation.ts";
import { slackAppCredential } from "#shared/slack/app/verify-app-request.ts";
import { receiveSlackRequest } from "#shared/slack/receive-request.ts";
import { slackCredential } from "#shared/slack/verify-request.ts";
import { sealSecrets } from "#shared/slack/workspace-secrets.ts";
import { slackLookups, slackWorkspaces, toSlackWorkspace } from "#shared/slack/workspace-store.ts";

export const createSlackWorkspaceHandler = endpoint(
  createSlackWorkspaceRoute,
  async ({ principal, body, baseUrl, commit }) => {
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
  },
);

export const deleteSlackWorkspaceHandler = endpoint(
  deleteSlackWorkspaceRoute,
  async ({ principal, params: { id }, commit }) => {
    const { installed_at, team_id } = await getWorkspace(slackWorkspaces, principal, id);
    const release = installed_at && team_id !== null ? [teamRelease(principal, team_id, id)] : [];
    return commit(undefined, ...workspaceDeletion(slackWorkspaces, slackLookups, principal, id), ...release);
  },
);

export const getSlackWorkspaceHandler = endpoint(getSlackWorkspaceRoute, async ({ principal, params, baseUrl }) =>
  toSlackWorkspace(await getWorkspace(slackWorkspaces, principal, params.id), baseUrl),
);

export const listSlackWorkspacesHandler = endpoint(listSlackWorkspacesRoute, async ({ principal, query, baseUrl }) => {
  const { entries, next } = await listWorkspaces(slackWorkspaces, principal, query);
  const workspaces = entries.map((workspace) => toSlackWorkspace(workspace, baseUrl));
  return { ...pageReply("workspaces", { entries: workspaces, next }, query.limit), has_app: hasApp() };
});

export const receiveSlackAppRequestHandler = endpoint(
  receiveSlackAppRequestRoute,
  async ({ principal, body, baseUrl }) => {
    const { isDuplicate, ...reply } = await receiveSlackRequest(principal, body, baseUrl);
    if (isDuplicate) countMetric("duplicates");
    return reply;
  },
  slackAppCredential,
);

export const receiveSlackRequestHandler = endpoint(
  receiveSlackRequestRoute,
  async ({ principal, body, baseUrl }) => {
    const { isDuplicate, ...reply } = await receiveSlackRequest(principal, body, baseUrl);
    if (isDuplicate) countMetric("duplicates");
    return reply;
  },
  slackCredential,
);

export const updateSlackWorkspaceHandler = endpoint(
  updateSlackWorkspaceRoute,
  async ({ principal, params, body, baseUrl, commit }) => {
    const workspace = await getWorkspace(slackWorkspaces, principal, params.id);
    const { bot_token, signing_secret, ...fields } = body;
    if (workspace.installed_at && (bot_token ?? signing_secret) !== undefined) {
      throw new ServiceError(
        "conflict",
        "The workspace has the app of the deployment, whose secrets are not set here.",
      );
    }
    if (fields.persona_id) await authorizePersonaUse(principal, fields.persona_id);
    const secrets = await sealSecrets(principal, params.id, { bot_token, signing_secret }, workspace.team_id);
    const changes = { ...fields, ...secrets };
    const changed = toSlackWorkspace({ ...workspace, ...changes }, baseUrl);
    return commit(changed, workspaceChange(slackWorkspaces, principal, params.id, changes));
  },
);
