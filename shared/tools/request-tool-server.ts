import { findServerRefusal } from "../lib/outgoing/find-server-refusal.ts";
import {
  type GuardedResponse,
  OutgoingError,
  type OutgoingFailure,
  readBounded,
  requestGuarded,
} from "../lib/outgoing/guarded-request.ts";
import { ToolServerError } from "./tool-server-error.ts";

/** Default size limit of a response, in bytes. */
export const MAX_RESPONSE_BYTES = 4 * 1_048_576;

const messages: Readonly<Record<OutgoingFailure, string>> = {
  address_not_allowed:
    "The address is not allowed. Tool servers have public addresses with https, or addresses in the ranges of the setting TOOL_PRIVATE_RANGES.",
  port_not_allowed: "The port of the address is not allowed. The setting TOOL_PORTS names the ports of public servers.",
  unreachable: "The server could not be reached.",
  timeout: "The server did not respond in time.",
  too_many_redirects: "The server redirects to another site, or too often. Use the final address.",
  too_large: "The response of the server is too large.",
  unsupported: "The server sent a compressed response, although the request asked for none.",
};

/** Matches codes of connection errors that occur before a request is sent. */
const notConnected =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT_|ERR_TLS|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED)/;

/**
 * Converts an `OutgoingError` to a `ToolServerError`, which tells whether the server may have executed the request.
 * Other errors are returned unchanged.
 */
export function toToolServerError(error: unknown): unknown {
  if (!(error instanceof OutgoingError)) return error;
  const cause = error.cause as { readonly code?: unknown } | undefined;
  const wasSent =
    ["timeout", "too_large", "unsupported"].includes(error.code) ||
    (error.code === "unreachable" && !notConnected.test(String(cause?.code ?? "")));
  return new ToolServerError(messages[error.code], { isOutcomeUnknown: wasSent, cause: error });
}

interface ToolServerRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * Ends the request. The caller sets the timeout: for a call of a tool `limits.timeout_seconds` of the server, 30 by
   * default (`defaultLimits` in `shared/api/tools/servers.ts`).
   */
  readonly signal: AbortSignal;
  /** Redirects to follow; `same-origin` by default. */
  readonly redirects?: "same-origin" | "none";
}

/**
 * Sends a request through the guard of outgoing requests, which only allows permitted addresses and ports.
 * @throws ToolServerError; the reason of `signal` if it aborts for anything but a timeout
 */
export async function requestToolServer(url: string, request: ToolServerRequest): Promise<GuardedResponse> {
  try {
    return await requestGuarded(url, {
      redirects: "same-origin",
      ...request,
      headers: { "user-agent": "Switchboard/1.0", ...request.headers },
      findRefusal: findServerRefusal,
    });
  } catch (error) {
    throw toToolServerError(error);
  }
}

/**
 * Reads the body of a response as text.
 * @throws ToolServerError if it exceeds `maxBytes` or the connection fails
 */
export async function readResponse(
  response: GuardedResponse,
  signal: AbortSignal,
  maxBytes = MAX_RESPONSE_BYTES,
): Promise<string> {
  try {
    return (await readBounded(response, maxBytes, signal)).toString("utf8");
  } catch (error) {
    throw toToolServerError(error);
  }
}
