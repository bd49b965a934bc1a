import { deleteSlackWorkspaceRoute } from "#shared/api/slack/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getWorkspace, workspaceDeletion } from "#shared/messengers/workspace-store.ts";
import { teamRelease } from "#shared/slack/app/installation-store.ts";
import { slackLookups, slackWorkspaces } from "#shared/slack/workspace-store.ts";

export const handler = endpoint(deleteSlackWorkspaceRoute, async ({ principal, params: { id }, commit }) => {
  const { installed_at, team_id } = await getWorkspace(slackWorkspaces, principal, id);
  const release = installed_at && team_id !== null ? [teamRelease(principal, team_id, id)] : [];
  return commit(undefined, ...workspaceDeletion(slackWorkspaces, slackLookups, principal, id), ...release);
});
