import { verifyWithAny } from "../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import type { EmbedKeyPrincipal } from "../auth/principal.ts";
import type { EndpointOptions } from "../http/chain.ts";
import type { HttpRequest } from "../http/http-request.ts";
import { getRateLimit } from "../tenancy/rate-limit-settings.ts";
import { consumeQuota, type RateLimitResult } from "../tenancy/rate-store.ts";
import { hashAddress, verifySessionId } from "./visitor-ids.ts";

/**
 * Counts a request toward the rate limit of its widget session or, without a session, of its client address.
 * @param counter name of the counter of the session
 */
async function consumeEmbedSessionRateLimit(
  principal: EmbedKeyPrincipal,
  { params, address }: HttpRequest,
  counter: string,
): Promise<RateLimitResult> {
  const limit = getRateLimit("embed_session");
  const { current, recent } = await loadAppSecrets();
  const { id } = params;
  const sessionId = id === undefined ? null : verifyWithAny(recent, (secret) => verifySessionId(secret, principal, id));
  if (sessionId !== null) return consumeQuota(principal, `${counter}#${sessionId}`, limit);
  const usedKey = { kind: "embed-key", id: principal.keyId } as const;
  return consumeQuota(principal, `visitor#${hashAddress(current, address)}`, limit, usedKey);
}

const limitBy = (counter: string): EndpointOptions => ({
  consumeRateLimit: async ({ principal, http }) =>
    principal?.kind === "embed-key" ? consumeEmbedSessionRateLimit(principal, http, counter) : null,
});

/** Rate limit of widget endpoints. It is in a separate module, so that functions without it do not need the app secret. */
export const embedRateLimit = limitBy("embed-session");

/** Rate limit of the requests that a widget repeats while a person answers, so that they leave room for messages. */
export const embedPollRateLimit = limitBy("embed-poll");
