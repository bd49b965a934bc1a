import { createSlackInstallationRoute } from "#shared/api/slack/installations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { startInstallation } from "#shared/slack/app/start-installation.ts";

export const handler = endpoint(createSlackInstallationRoute, async ({ principal, body, baseUrl, commit }) => {
  const { reply, write } = startInstallation(principal, body.name, baseUrl);
  return commit(reply, write);
});
