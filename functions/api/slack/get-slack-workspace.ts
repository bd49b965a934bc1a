import { getSlackWorkspaceRoute } from "#shared/api/slack/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getWorkspace } from "#shared/messengers/workspace-store.ts";
import { slackWorkspaces, toSlackWorkspace } from "#shared/slack/workspace-store.ts";

export const handler = endpoint(getSlackWorkspaceRoute, async ({ principal, params, baseUrl }) =>
  toSlackWorkspace(await getWorkspace(slackWorkspaces, principal, params.id), baseUrl),
);
