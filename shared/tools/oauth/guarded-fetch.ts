import * as oauth from "oauth4webapi";
import { OutgoingError } from "../../lib/outgoing/guarded-request.ts";
import { readResponse, requestToolServer } from "../request-tool-server.ts";
import { ToolServerError } from "../tool-server-error.ts";
import { MAX_OAUTH_BYTES, OAUTH_TIMEOUT_MS } from "./access-token.ts";

interface FetchOptions {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

/** Sends a request of `oauth4webapi` through the guard of outgoing requests, without redirects. */
async function guardedFetch(url: string, { method, headers, body }: FetchOptions): Promise<Response> {
  const signal = AbortSignal.timeout(OAUTH_TIMEOUT_MS);
  const response = await requestToolServer(url, {
    method,
    headers,
    ...(body !== undefined && body !== null && { body: String(body) }),
    redirects: "none",
    signal,
  });
  const text = await readResponse(response, signal, MAX_OAUTH_BYTES);
  const received = new Headers();
  for (const name of ["content-type", "www-authenticate"] as const) {
    const value = response.headers[name];
    if (value !== undefined) received.set(name, String(value));
  }
  return new Response([204, 304].includes(response.status) ? null : text, {
    status: response.status,
    headers: received,
  });
}

/**
 * Options of all requests of `oauth4webapi`. The guard of outgoing requests, not the library, decides which addresses
 * may be used without TLS.
 */
export const oauthOptions = { [oauth.customFetch]: guardedFetch, [oauth.allowInsecureRequests]: true };

/**
 * Converts an error of `oauth4webapi` to a `ToolServerError` with `message` and the OAuth error code. The library's own
 * messages contain values of the server. Other errors are returned unchanged.
 */
export function toSignInError(error: unknown, message: string): unknown {
  if (error instanceof ToolServerError || error instanceof OutgoingError) return error;
  const isOfLibrary =
    error instanceof oauth.OperationProcessingError ||
    error instanceof oauth.ResponseBodyError ||
    error instanceof oauth.AuthorizationResponseError ||
    error instanceof oauth.WWWAuthenticateChallengeError ||
    error instanceof oauth.UnsupportedOperationError ||
    error instanceof TypeError;
  if (!isOfLibrary) return error;
  const code = (error as { readonly error?: unknown }).error;
  const detail = typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? ` (${code})` : "";
  return new ToolServerError(`${message}${detail}`, { cause: error });
}
