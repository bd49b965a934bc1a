import { listSlackWorkspacesRoute } from "#shared/api/slack/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { listWorkspaces } from "#shared/messengers/workspace-store.ts";
import { hasApp } from "#shared/slack/app/start-installation.ts";
import { slackWorkspaces, toSlackWorkspace } from "#shared/slack/workspace-store.ts";

export const handler = endpoint(listSlackWorkspacesRoute, async ({ principal, query, baseUrl }) => {
  const { entries, next } = await listWorkspaces(slackWorkspaces, principal, query);
  const workspaces = entries.map((workspace) => toSlackWorkspace(workspace, baseUrl));
  return { ...pageReply("workspaces", { entries: workspaces, next }, query.limit), has_app: hasApp() };
});
