import type { SlackPrincipal } from "../../auth/principal.ts";
import { formToJson } from "../../http/body/form-urlencoded.ts";
import type { EndpointOptions } from "../../http/chain.ts";
import { findSetting } from "../../lib/env.ts";
import { notFound, ServiceError } from "../../lib/errors.ts";
import type { RequestHeaders } from "../../lib/request-headers.ts";
import { loadSecret } from "../../lib/secrets.ts";
import { findWorkspace } from "../../messengers/workspace-store.ts";
import { verifyLimited } from "../../tenancy/failed-credentials.ts";
import { parseSlackPayload } from "../receive-request.ts";
import { findSlackFault, missingSignature, toSlackPrincipal } from "../signature.ts";
import { slackWorkspaces } from "../workspace-store.ts";
import { findTeam } from "./installation-store.ts";

/** Returns the team id in the body of a verified request, or null. */
function findTeamId(rawBody: Buffer): string | null {
  const text = rawBody.toString();
  try {
    const body = parseSlackPayload(JSON.parse(text.startsWith("{") ? text : formToJson(text)));
    const { team_id, team } = body as { readonly team_id?: unknown; readonly team?: { readonly id?: unknown } };
    const id = team_id ?? team?.id;
    return typeof id === "string" ? id : null;
  } catch {
    return null;
  }
}

/**
 * Verifies a request with the signing secret of the deployment's app.
 * @returns null for a team in which the app is not installed, and for the verification of the URL, which names no team
 * @throws ServiceError `not_found` if the deployment has no app, `unauthorized`
 */
async function verifyAppRequest(headers: RequestHeaders, rawBody: Buffer): Promise<SlackPrincipal | null> {
  if (!headers["x-slack-signature"]) throw new ServiceError("unauthorized", missingSignature);
  const secret = await loadSecret(findSetting("SLACK_SIGNING_SECRET"));
  if (secret === "") throw notFound();
  const fault = findSlackFault(headers, rawBody, secret);
  if (fault) throw new ServiceError("unauthorized", fault);
  const teamId = findTeamId(rawBody);
  const team = teamId === null ? undefined : await findTeam(teamId);
  const workspace = team && (await findWorkspace(slackWorkspaces, team, team.workspaceId));
  return team && workspace?.enabled ? toSlackPrincipal(team.tenantId, workspace) : null;
}

/** Options of the endpoint that Slack calls for the deployment's app. */
export const slackAppCredential: EndpointOptions = {
  authenticate: async (context) => {
    const { address, headers, rawBody } = context.http;
    const verify = () => verifyAppRequest(headers, rawBody);
    context.principal = await verifyLimited(address, verify, { readsTable: false, channelId: "slack-app" });
  },
};
