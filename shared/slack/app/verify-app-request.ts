import type { SlackPrincipal } from "../../auth/principal.ts";
import type { EndpointOptions } from "../../http/chain.ts";
import { formToJson } from "../../http/form-urlencoded.ts";
import { findSetting } from "../../lib/env.ts";
import { notFound, ServiceError } from "../../lib/errors.ts";
import type { RequestHeaders } from "../../lib/request-headers.ts";
import { loadSecret } from "../../lib/secrets.ts";
import { verifyLimited } from "../../tenancy/failed-credentials.ts";
import { parsePayload } from "../receive-request.ts";
import { findSlackFault, missingSignature, toSlackPrincipal } from "../signature.ts";
import { findWorkspace } from "../workspace-store.ts";
import { findTeam } from "./installation-store.ts";

/** Returns the team that a verified body names, or null. */
function findTeamId(rawBody: Buffer): string | null {
  const text = rawBody.toString();
  try {
    const body = parsePayload(JSON.parse(text.startsWith("{") ? text : formToJson(text)));
    const { team_id, team } = body as { readonly team_id?: unknown; readonly team?: { readonly id?: unknown } };
    const id = team_id ?? team?.id;
    return typeof id === "string" ? id : null;
  } catch {
    return null;
  }
}

/**
 * Verifies a request by the signing secret of the deployment's app.
 * @returns null for a team in which it is not installed, and for the verification of the address, which names no team
 * @throws ServiceError `not_found` without an app, `unauthorized`
 */
async function verifyAppRequest(headers: RequestHeaders, rawBody: Buffer): Promise<SlackPrincipal | null> {
  if (!headers["x-slack-signature"]) throw new ServiceError("unauthorized", missingSignature);
  const secret = await loadSecret(findSetting("SLACK_SIGNING_SECRET"));
  if (secret === "") throw notFound();
  const fault = findSlackFault(headers, rawBody, secret);
  if (fault) throw new ServiceError("unauthorized", fault);
  const teamId = findTeamId(rawBody);
  const team = teamId === null ? undefined : await findTeam(teamId);
  const workspace = team && (await findWorkspace(team, team.workspaceId));
  return team && workspace?.enabled ? toSlackPrincipal(team.tenantId, workspace) : null;
}

/** Steps of the endpoint that Slack calls for the app of the deployment. */
export const slackAppCredential: EndpointOptions = {
  authenticate: async (context) => {
    const { address, headers, rawBody } = context.http;
    const verify = () => verifyAppRequest(headers, rawBody);
    context.principal = await verifyLimited(address, verify, { readsTable: false, channelId: "slack-app" });
  },
};
