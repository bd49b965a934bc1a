import { createHmac, timingSafeEqual } from "node:crypto";
import type { SlackPrincipal } from "../auth/principal.ts";
import { now } from "../lib/clock.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import type { StoredSlackWorkspace } from "./workspace-store.ts";

/** Maximum difference between the timestamp of a request and the current time, against replay attacks. */
const TIMESTAMP_TOLERANCE_SECONDS = 300;

export const missingSignature = "X-Slack-Signature and X-Slack-Request-Timestamp are required.";

/**
 * Returns the reason why a request was not sent by Slack, or null if its signature is valid.
 * @see https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
export function findSlackFault(headers: RequestHeaders, rawBody: Buffer, secret: string): string | null {
  const { "x-slack-signature": signature = "", "x-slack-request-timestamp": timestamp = "" } = headers;
  if (signature === "" || timestamp === "") return missingSignature;
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

export function toSlackPrincipal(
  tenantId: string,
  { id, team_id: teamId, bot_user_id: botUserId }: StoredSlackWorkspace,
): SlackPrincipal {
  return { kind: "slack", tenantId, keyId: id, expiresAt: null, teamId, botUserId };
}
