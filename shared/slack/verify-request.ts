import { createHmac, timingSafeEqual } from "node:crypto";
import type { SlackPrincipal } from "../auth/principal.ts";
import type { EndpointOptions } from "../http/chain.ts";
import { now } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { verifyLimited } from "../tenancy/failed-credentials.ts";
import { openSigningSecret } from "./workspace-secrets.ts";
import { findWorkspaceOfAnyTenant } from "./workspace-store.ts";

/** Maximum difference between the time of a request and the current time. */
const TIMESTAMP_TOLERANCE_SECONDS = 300;

const missing = "X-Slack-Signature and X-Slack-Request-Timestamp are required.";

/**
 * Returns why a request is not one of Slack, or null.
 * @see https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
export function findSlackFault(headers: RequestHeaders, rawBody: Buffer, secret: string): string | null {
  const { "x-slack-signature": signature = "", "x-slack-request-timestamp": timestamp = "" } = headers;
  if (signature === "" || timestamp === "") return missing;
  const ageSeconds = /^\d{1,12}$/.test(timestamp) ? Math.abs(now() / 1_000 - Number(timestamp)) : Number.NaN;
  if (!(ageSeconds <= TIMESTAMP_TOLERANCE_SECONDS)) {
    return "X-Slack-Request-Timestamp must be the current time, with at most five minutes difference.";
  }
  const expected = Buffer.from(
    `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:`).update(rawBody).digest("hex")}`,
  );
  const received = Buffer.from(signature);
  const isValid = received.length === expected.length && timingSafeEqual(received, expected);
  return isValid ? null : "X-Slack-Signature does not match the body.";
}

/**
 * Verifies a request by the signing secret of the workspace in its address.
 * @throws ServiceError `not_found` for an unknown or disabled workspace, `unauthorized`
 */
async function verifyRequest(id: string, headers: RequestHeaders, rawBody: Buffer): Promise<SlackPrincipal> {
  if (!headers["x-slack-signature"]) throw new ServiceError("unauthorized", missing);
  const found = await findWorkspaceOfAnyTenant(id);
  if (!found?.workspace.enabled) throw notFound();
  const { tenantId, workspace } = found;
  const secret = await openSigningSecret({ tenantId }, workspace);
  const fault = secret === null ? "The workspace has no signing secret yet." : findSlackFault(headers, rawBody, secret);
  if (fault) throw new ServiceError("unauthorized", fault);
  const { team_id: teamId, bot_user_id: botUserId } = workspace;
  return { kind: "slack", tenantId, keyId: id, expiresAt: null, teamId, botUserId };
}

/** Steps of the endpoint that Slack calls: an authorizer does not receive the body that is signed. */
export const slackCredential: EndpointOptions = {
  authenticate: async (context) => {
    const { address, headers, rawBody, params } = context.http;
    const id = params.workspace_id ?? "";
    const verify = () => verifyRequest(id, headers, rawBody);
    context.principal = await verifyLimited(address, verify, { readsTable: true, channelId: id });
  },
};
