import type { UserPrincipal } from "../../auth/principal.ts";
import { env, findSetting } from "../../lib/env.ts";
import { ServiceError } from "../../lib/errors.ts";
import { botScopes } from "../manifest.ts";
import { newInstallation } from "./installation-store.ts";

/** Path of the console page to which Slack redirects administrators. */
const INSTALLED_PATH = "/console/slack-installed";

/** Returns true if the deployment has a Slack app of its own, which administrators can install without creating one. */
export const hasApp = (): boolean => findSetting("SLACK_CLIENT_ID") !== "";

/**
 * Starts the installation of the deployment's Slack app.
 * @returns the URL at which the administrator chooses a Slack workspace, and the write that stores the OAuth state
 * @throws ServiceError `conflict` if the deployment has no app
 * @see https://docs.slack.dev/authentication/installing-with-oauth
 */
export function startInstallation(principal: UserPrincipal, name: string | null, baseUrl: string) {
  if (!hasApp()) throw new ServiceError("conflict", "This deployment has no app of Slack. Add a workspace instead.");
  const redirect_uri = baseUrl + INSTALLED_PATH;
  const { state, expires_at, write } = newInstallation(principal, { name, redirect_uri });
  const url = new URL("/oauth/v2/authorize", env("SLACK_API_URL").SLACK_API_URL);
  const parameters = { client_id: findSetting("SLACK_CLIENT_ID"), scope: botScopes.join(","), redirect_uri, state };
  for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
  return { reply: { url: url.href, expires_at }, write };
}
