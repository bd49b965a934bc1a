import type { Messenger } from "#shared/api/messengers/event-ref.ts";
import {
  completeMessengerInstallationRoute,
  createMessengerCodeRoute,
  createMessengerInstallationRoute,
  createMessengerWorkspaceRoute,
  deleteMessengerWorkspaceRoute,
  getMessengerWorkspaceRoute,
  listMessengerWorkspacesRoute,
  updateMessengerWorkspaceRoute,
} from "#shared/api/messengers/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { newId } from "#shared/lib/ids.ts";
import {
  assertOwnCredentials,
  assertRoomForWorkspace,
  getWorkspace,
  listWorkspaces,
  newWorkspaceWrites,
  type SealCredentials,
  type WorkspacesByMessenger,
  workspaceChange,
  workspaceDeletion,
} from "#shared/messengers/workspace-store.ts";
import { authorizePersonaUse } from "#shared/personas/persona-store.ts";
import { completeInstallation } from "#shared/slack/app/complete-installation.ts";
import { teamRelease } from "#shared/slack/app/installation-store.ts";
import { hasApp, startInstallation } from "#shared/slack/app/start-installation.ts";
import { sealSecrets } from "#shared/slack/workspace-secrets.ts";
import { slackLookups, slackWorkspaces } from "#shared/slack/workspace-store.ts";
import { sealApp } from "#shared/teams/app-secret.ts";
import { newCode, teamsLookups, teamsWorkspaces } from "#shared/teams/workspace-store.ts";

// One table for each concern: with one object for each messenger, every function would have the rights of all operations.
const workspaces: WorkspacesByMessenger = { slack: slackWorkspaces, teams: teamsWorkspaces };
const lookups = { slack: slackLookups, teams: teamsLookups };
const sealCredentials: Readonly<Record<Messenger, SealCredentials>> = { slack: sealSecrets, teams: sealApp };

/** @throws ServiceError `conflict` for a messenger without an app of the deployment */
function requireSlack(messenger: Messenger): void {
  if (messenger === "slack") return;
  throw new ServiceError("conflict", "Only Slack has an app of the deployment. Add a workspace instead.");
}

export const createMessengerWorkspaceHandler = endpoint(
  createMessengerWorkspaceRoute,
  async ({ principal, params: { messenger }, body, baseUrl, commit }) => {
    const { name, persona_id, ...credentials } = body;
    assertOwnCredentials(messenger, credentials);
    if (persona_id !== null) await authorizePersonaUse(principal, persona_id);
    const items = workspaces[messenger];
    await assertRoomForWorkspace(items, principal);
    const id = newId();
    const workspace = {
      ...{ id, name, persona_id, enabled: true, error: null, created_at: timestamp() },
      ...items.unset,
      ...(await sealCredentials[messenger](principal, id, credentials, null)),
    };
    const writes = newWorkspaceWrites(items, lookups[messenger], principal, workspace);
    return commit(items.toReply(workspace, baseUrl), ...writes);
  },
);

export const listMessengerWorkspacesHandler = endpoint(
  listMessengerWorkspacesRoute,
  async ({ principal, params: { messenger }, query, baseUrl }) => {
    const items = workspaces[messenger];
    const { entries, next } = await listWorkspaces(items, principal, query);
    const replies = entries.map((workspace) => items.toReply(workspace, baseUrl));
    const has_app = messenger === "slack" && hasApp();
    return { ...pageReply("workspaces", { entries: replies, next }, query.limit), has_app };
  },
);

export const getMessengerWorkspaceHandler = endpoint(
  getMessengerWorkspaceRoute,
  async ({ principal, params: { messenger, id }, baseUrl }) => {
    const items = workspaces[messenger];
    return items.toReply(await getWorkspace(items, principal, id), baseUrl);
  },
);

export const updateMessengerWorkspaceHandler = endpoint(
  updateMessengerWorkspaceRoute,
  async ({ principal, params: { messenger, id }, body, baseUrl, commit }) => {
    const { bot_token, signing_secret, app, ...fields } = body;
    const credentials = { bot_token, signing_secret, app };
    assertOwnCredentials(messenger, credentials);
    const items = workspaces[messenger];
    const workspace = await getWorkspace(items, principal, id);
    if (fields.persona_id) await authorizePersonaUse(principal, fields.persona_id);
    const changes = { ...fields, ...(await sealCredentials[messenger](principal, id, credentials, workspace)) };
    const reply = items.toReply({ ...workspace, ...changes }, baseUrl);
    return commit(reply, workspaceChange(items, principal, id, changes));
  },
);

export const deleteMessengerWorkspaceHandler = endpoint(
  deleteMessengerWorkspaceRoute,
  async ({ principal, params: { messenger, id }, commit }) => {
    const deletion = workspaceDeletion(workspaces[messenger], lookups[messenger], principal, id);
    if (messenger !== "slack") return commit(undefined, ...deletion);
    const release = teamRelease(principal, await getWorkspace(slackWorkspaces, principal, id));
    return commit(undefined, ...deletion, ...release);
  },
);

export const createMessengerCodeHandler = endpoint(
  createMessengerCodeRoute,
  async ({ principal, params: { messenger, id }, commit }) => {
    if (messenger !== "teams") {
      await getWorkspace(workspaces[messenger], principal, id);
      throw new ServiceError("conflict", "A workspace of Slack needs no code: its token names the team.");
    }
    const { write, ...code } = newCode(principal, await getWorkspace(teamsWorkspaces, principal, id));
    return commit(code, write);
  },
);

export const createMessengerInstallationHandler = endpoint(
  createMessengerInstallationRoute,
  async ({ principal, params, body, baseUrl, commit }) => {
    requireSlack(params.messenger);
    const { reply, write } = startInstallation(principal, body.name, baseUrl);
    return commit(reply, write);
  },
);

export const completeMessengerInstallationHandler = endpoint(
  completeMessengerInstallationRoute,
  async ({ principal, params, body, baseUrl, commit }) => {
    requireSlack(params.messenger);
    const { workspace, writes } = await completeInstallation(principal, body);
    return commit(slackWorkspaces.toReply(workspace, baseUrl), ...writes);
  },
);
