import { completeSlackInstallationRoute, createSlackInstallationRoute } from "#shared/api/slack/installations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { completeInstallation } from "#shared/slack/app/complete-installation.ts";
import { startInstallation } from "#shared/slack/app/start-installation.ts";
import { toSlackWorkspace } from "#shared/slack/workspace-store.ts";

export const completeSlackInstallationHandler = endpoint(
  completeSlackInstallationRoute,
  async ({ principal, body, baseUrl, commit }) => {
    const { workspace, writes } = await completeInstallation(principal, body);
    return commit(toSlackWorkspace(workspace, baseUrl), ...writes);
  },
);

export const createSlackInstallationHandler = endpoint(
  createSlackInstallationRoute,
  async ({ principal, body, baseUrl, commit }) => {
    const { reply, write } = startInstallation(principal, body.name, baseUrl);
    return commit(reply, write);
  },
);
