import { completeSlackInstallationRoute } from "#shared/api/slack/installations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { completeInstallation } from "#shared/slack/app/complete-installation.ts";
import { toSlackWorkspace } from "#shared/slack/workspace-store.ts";

export const handler = endpoint(completeSlackInstallationRoute, async ({ principal, body, baseUrl, commit }) => {
  const { workspace, writes } = await completeInstallation(principal, body);
  return commit(toSlackWorkspace(workspace, baseUrl), ...writes);
});
