import {
  createTeamsCodeRoute,
  createTeamsWorkspaceRoute,
  deleteTeamsWorkspaceRoute,
  getTeamsWorkspaceRoute,
  listTeamsWorkspacesRoute,
  receiveTeamsActivityRoute,
  updateTeamsWorkspaceRoute,
} from "#shared/api/teams/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { timestamp } from "#shared/lib/clock.ts";
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
import { sealApp } from "#shared/teams/app-secret.ts";
import { receiveActivity } from "#shared/teams/receive-activity.ts";
import { teamsCredential } from "#shared/teams/verify-activity.ts";
import { newCode, teamsLookups, teamsWorkspaces, toTeamsWorkspace } from "#shared/teams/workspace-store.ts";

export const createTeamsCodeHandler = endpoint(createTeamsCodeRoute, async ({ principal, params, commit }) => {
  const { write, ...code } = newCode(principal, await getWorkspace(teamsWorkspaces, principal, params.id));
  return commit(code, write);
});

export const createTeamsWorkspaceHandler = endpoint(
  createTeamsWorkspaceRoute,
  async ({ principal, body, baseUrl, commit }) => {
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
  },
);

export const deleteTeamsWorkspaceHandler = endpoint(
  deleteTeamsWorkspaceRoute,
  async ({ principal, params: { id }, commit }) =>
    commit(undefined, ...workspaceDeletion(teamsWorkspaces, teamsLookups, principal, id)),
);

export const getTeamsWorkspaceHandler = endpoint(getTeamsWorkspaceRoute, async ({ principal, params, baseUrl }) =>
  toTeamsWorkspace(await getWorkspace(teamsWorkspaces, principal, params.id), baseUrl),
);

export const listTeamsWorkspacesHandler = endpoint(listTeamsWorkspacesRoute, async ({ principal, query, baseUrl }) => {
  const { entries, next } = await listWorkspaces(teamsWorkspaces, principal, query);
  const workspaces = entries.map((workspace) => toTeamsWorkspace(workspace, baseUrl));
  return pageReply("workspaces", { entries: workspaces, next }, query.limit);
});

export const receiveTeamsActivityHandler = endpoint(
  receiveTeamsActivityRoute,
  async ({ principal, body, baseUrl }) => {
    const { isDuplicate, ...reply } = await receiveActivity(principal, body, baseUrl);
    if (isDuplicate) countMetric("duplicates");
    return reply;
  },
  teamsCredential,
);

export const updateTeamsWorkspaceHandler = endpoint(
  updateTeamsWorkspaceRoute,
  async ({ principal, params, body, baseUrl, commit }) => {
    const workspace = await getWorkspace(teamsWorkspaces, principal, params.id);
    const { app, ...fields } = body;
    if (fields.persona_id) await authorizePersonaUse(principal, fields.persona_id);
    const changes = { ...fields, ...(app && (await sealApp(principal, params.id, app))) };
    const changed = toTeamsWorkspace({ ...workspace, ...changes }, baseUrl);
    return commit(changed, workspaceChange(teamsWorkspaces, principal, params.id, changes));
  },
);
