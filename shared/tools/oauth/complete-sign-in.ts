import * as oauth from "oauth4webapi";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { invalidField, ServiceError } from "../../lib/errors.ts";
import { openServerSecret } from "../server-secret.ts";
import { getToolServer, type StoredToolServer } from "../server-store.ts";
import { ToolServerError, toToolServerFailure } from "../tool-server-error.ts";
import { authenticateClient } from "./access-token.ts";
import type { Authorization } from "./authorization.ts";
import { oauthOptions, toSignInError } from "./guarded-fetch.ts";
import { type IssuedTokens, storeTokens } from "./sealed-tokens.ts";
import { hashAuthorization, type PendingSignIn, takeSignIn } from "./sign-in-store.ts";

/**
 * Returns the client authentication for `oauth4webapi`. Its own also encodes hyphens of ids, which some authorization
 * servers do not decode.
 */
const authenticationOf =
  (authorization: Authorization, secret: string | null): oauth.ClientAuth =>
  (_server, _client, body, headers) => {
    const sent = authenticateClient(authorization, secret);
    for (const [name, value] of Object.entries(sent.fields)) body.set(name, value);
    for (const [name, value] of Object.entries(sent.headers)) headers.set(name, value);
  };

/**
 * Exchanges the authorization code of a sign-in for tokens.
 * @throws ToolServerError
 */
async function exchangeCode(
  server: StoredToolServer,
  { verifier }: PendingSignIn,
  response: URLSearchParams,
): Promise<IssuedTokens> {
  const authorization = server.oauth as Authorization;
  const { issuer, token_endpoint, client_id, redirect_uri, resource, sends_issuer } = authorization;
  const issuerServer = { issuer, token_endpoint, authorization_response_iss_parameter_supported: sends_issuer };
  const client = { client_id };
  try {
    const parameters = oauth.validateAuthResponse(issuerServer, client, response, oauth.skipStateCheck);
    const received = await oauth.authorizationCodeGrantRequest(
      issuerServer,
      client,
      authenticationOf(authorization, await openServerSecret(server)),
      parameters,
      redirect_uri,
      verifier,
      { ...oauthOptions, additionalParameters: { resource } },
    );
    const tokens = await oauth.processAuthorizationCodeResponse(issuerServer, client, received);
    if (tokens.token_type !== "bearer") throw new ToolServerError("The authorization server issued no bearer token.");
    // The token becomes part of a header.
    if (!/^[\x21-\x7e]{1,16384}$/.test(tokens.access_token)) throw new ToolServerError("The token is malformed.");
    const { access_token, refresh_token = null, expires_in = null, scope = null } = tokens;
    return { access: access_token, refresh: refresh_token, expiresInSeconds: expires_in, scope };
  } catch (error) {
    throw toSignInError(error, "The sign-in failed.");
  }
}

/**
 * Completes a sign-in and stores its tokens.
 * @param parameters query parameters with which the authorization server redirected the user back
 * @throws ServiceError `validation_failed` if this user has no such pending sign-in or `iss` is foreign, `conflict` if the authorization
 * server was changed since, `tool_server_failed`
 */
export async function completeSignIn(
  member: UserScope,
  { state, ...parameters }: Readonly<Record<string, string | undefined>> & { readonly state: string },
): Promise<StoredToolServer> {
  // The item of another user's sign-in is in another partition.
  const pending = await takeSignIn(member, state);
  if (!pending) {
    const message = "is unknown or was used before; start the sign-in again";
    throw invalidField("state", "unknown", message);
  }
  const server = await getToolServer(member, pending.server_id);
  if (!server.oauth || hashAuthorization(server.oauth) !== pending.authorization_hash) {
    throw new ServiceError("conflict", "The authorization server was changed; start the sign-in again.");
  }
  if (parameters.iss !== undefined && parameters.iss !== server.oauth.issuer) {
    throw invalidField(
      "iss",
      "invalid_value",
      "names another authorization server than that of the sign-in (RFC 9207)",
    );
  }
  const response = new URLSearchParams({ state });
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) response.set(name, value);
  try {
    await storeTokens(member, server, await exchangeCode(server, pending, response));
  } catch (error) {
    throw toToolServerFailure(error);
  }
  return server;
}
