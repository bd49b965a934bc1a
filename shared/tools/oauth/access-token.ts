import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { readResponse, requestToolServer } from "../request-tool-server.ts";
import { openServerSecret } from "../server-secret.ts";
import type { StoredToolServer } from "../server-store.ts";
import { ToolServerError } from "../tool-server-error.ts";
import type { Authorization } from "./authorization.ts";
import { type IssuedTokens, openTokens, replaceTokens } from "./sealed-tokens.ts";
import { claimRefresh, deleteToken, findToken, isExpired, type StoredToken } from "./token-store.ts";

/** Time before its expiry at which an access token is refreshed. */
const REFRESH_MARGIN_MS = 60_000;

/** Timeout of a request to an authorization server. */
export const OAUTH_TIMEOUT_MS = 10_000;

/** Maximum size of a response of an authorization server, in bytes. */
export const MAX_OAUTH_BYTES = 256 * 1_024;

/** Maximum time to wait for another function that is refreshing the token. */
const MAX_WAIT_MS = 12_000;
const POLL_INTERVAL_MS = 200;

/** Error if no valid token is stored. The user, or an administrator for the tenant, must sign in to the server. */
class SignInRequired extends ToolServerError {
  override name = "SignInRequired";
}

const signInRequired = ({ auth }: StoredToolServer) =>
  new SignInRequired(
    auth.type === "oauth_tenant"
      ? "An administrator has to sign in to this server."
      : "The user has to sign in to this server.",
  );

const TokenResponse = v.object({
  access_token: v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,16384}$/)),
  token_type: v.pipe(v.string(), v.toLowerCase(), v.literal("bearer")),
  expires_in: v.optional(v.pipe(v.number(), v.minValue(0))),
  refresh_token: v.optional(v.string()),
  scope: v.optional(v.string()),
});

/** Returns the form fields and headers with which this service authenticates as a client of an authorization server. */
export function authenticateClient({ client_id, auth_method }: Authorization, secret: string | null) {
  const headers: Record<string, string> = {};
  const fields: Record<string, string> = {};
  if (auth_method === "client_secret_basic" && secret !== null) {
    const encode = (text: string) => encodeURIComponent(text).replaceAll("%20", "+");
    headers.authorization = `Basic ${Buffer.from(`${encode(client_id)}:${encode(secret)}`).toString("base64")}`;
  } else {
    fields.client_id = client_id;
    if (auth_method === "client_secret_post" && secret !== null) fields.client_secret = secret;
  }
  return { headers, fields };
}

/**
 * Sends a form with the client's authentication to an endpoint of the authorization server. Any status is returned.
 * @throws ToolServerError if there is no response
 */
export async function postForm(server: StoredToolServer, url: string, form: Readonly<Record<string, string>>) {
  const { headers, fields } = authenticateClient(server.oauth as Authorization, await openServerSecret(server));
  const signal = AbortSignal.timeout(OAUTH_TIMEOUT_MS);
  const response = await requestToolServer(url, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json", ...headers },
    body: new URLSearchParams({ ...fields, ...form }).toString(),
    redirects: "none",
    signal,
  });
  return { status: response.status, text: await readResponse(response, signal, MAX_OAUTH_BYTES) };
}

/**
 * Requests new tokens with a refresh token.
 * @returns null if the authorization server rejects the refresh token (`invalid_grant`)
 */
async function requestRefresh(server: StoredToolServer, refresh: string): Promise<IssuedTokens | null> {
  const { token_endpoint, resource } = server.oauth as Authorization;
  const form = { grant_type: "refresh_token", refresh_token: refresh, resource };
  const { status, text } = await postForm(server, token_endpoint, form);
  const json = parseJson(text);
  const parsed = v.safeParse(TokenResponse, json);
  if (status === 200 && parsed.success) {
    const { access_token, expires_in = null, refresh_token, scope = null } = parsed.output;
    // A server that does not rotate refresh tokens sends none.
    return { access: access_token, refresh: refresh_token ?? refresh, expiresInSeconds: expires_in, scope };
  }
  if (v.is(v.object({ error: v.literal("invalid_grant") }), json)) return null;
  throw new ToolServerError(`The authorization server did not refresh the token (${status}).`, { status });
}

/**
 * Waits until another function has refreshed a token, and returns the stored one; undefined if it was deleted.
 * @throws ToolServerError after `MAX_WAIT_MS`
 */
async function waitForRefresh(member: UserScope, server: StoredToolServer, { version }: StoredToken) {
  const until = now() + MAX_WAIT_MS;
  for (;;) {
    const token = await findToken(member, server);
    if (token?.version !== version) return token;
    if (now() > until) throw new ToolServerError("The token of the server is being refreshed. Try again later.");
    await sleep(POLL_INTERVAL_MS);
  }
}

/**
 * Returns an access token of a user, or of the tenant, for a server. An expired one is refreshed, by only one of
 * several concurrent callers.
 * @param refused access token that the server has rejected, so that it is refreshed although it has not expired
 * @throws SignInRequired, ToolServerError
 */
export async function loadAccessToken(
  member: UserScope,
  server: StoredToolServer,
  refused: string | null = null,
): Promise<string> {
  let token = await findToken(member, server);
  for (let attempt = 1; token && attempt <= 3; attempt++) {
    const tokens = await openTokens(member, server, token);
    if (!tokens) break;
    if (!isExpired(token, REFRESH_MARGIN_MS) && tokens.access !== refused) return tokens.access;
    if (tokens.refresh === null) {
      if (tokens.access !== refused && !isExpired(token, 0)) return tokens.access;
      break;
    }
    if (await claimRefresh(member, token)) {
      const issued = await requestRefresh(server, tokens.refresh);
      if (!issued) {
        await deleteToken(member, token);
        break;
      }
      if (await replaceTokens(member, server, token, issued)) return issued.access;
      token = await findToken(member, server);
    } else {
      token = await waitForRefresh(member, server, token);
    }
  }
  throw signInRequired(server);
}
