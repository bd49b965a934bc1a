import { isUserScope, scopePresets } from "#shared/api/scopes.ts";
import { createTokenRoute } from "#shared/api/tenancy/tokens.ts";
import { createAccessToken } from "#shared/auth/access-token.ts";
import { toIdentity } from "#shared/auth/principal.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { now } from "#shared/lib/clock.ts";
import { invalidField, ServiceError } from "#shared/lib/errors.ts";
import { authorizeActAs } from "#shared/tenancy/act-as.ts";

/**
 * Returns the scopes of a new access token. Without requested ones, these are the scopes of a chat backend that the key has.
 * @throws ServiceError `validation_failed` if the key lacks a requested scope, or none is named
 */
function selectScopes(requested: string | undefined, held: readonly string[]): string[] {
  if (requested === undefined)
    return scopePresets.chat_backend.filter((scope) => isUserScope(scope) && held.includes(scope));
  const scopes = [...new Set(requested.split(" ").filter(Boolean))];
  const refused = scopes.filter((scope) => !isUserScope(scope) || !held.includes(scope));
  if (scopes.length > 0 && refused.length === 0) return scopes;
  const message =
    refused.length > 0 ? `names scopes that the API key cannot give: ${refused.join(" ")}` : "must not be empty";
  throw invalidField("scope", "invalid_scope", message);
}

export const createTokenHandler = endpoint(createTokenRoute, async ({ principal, body }) => {
  const { subject_token, conversation_id: conversationId = null, expires_in } = body;
  const user = await authorizeActAs(principal, toIdentity(subject_token));
  const { apiKey } = user;
  if (!apiKey) throw new ServiceError("forbidden");
  const scopes = selectScopes(body.scope, apiKey.scopes);
  if (conversationId !== null) await authorizeConversation(user, conversationId, "READ");
  const keyExpiresAtMs = user.expiresAt === null ? Number.POSITIVE_INFINITY : user.expiresAt * 1_000;
  const expiresAtMs = Math.min(now() + expires_in * 1_000, keyExpiresAtMs);
  const reply = {
    access_token: await createAccessToken({
      keyHash: apiKey.hash,
      userId: user.userId,
      scopes,
      conversationId,
      expiresAtMs,
    }),
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token" as const,
    token_type: "Bearer" as const,
    expires_in: Math.round((expiresAtMs - now()) / 1_000),
    scope: scopes.join(" "),
  };
  return new Reply(200, reply, { "cache-control": "no-store" });
});
