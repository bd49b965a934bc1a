import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import { EventParser } from "../../lib/event-parser.ts";
import { log } from "../../lib/log.ts";
import type { GuardedResponse } from "../../lib/outgoing/guarded-request.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { MAX_RESPONSE_BYTES, readResponse, requestToolServer, toToolServerError } from "../request-tool-server.ts";
import { ToolServerError } from "../tool-server-error.ts";
import { RpcMessage } from "./protocol.ts";

/** Address, headers and handlers for one request to an MCP server. */
export interface Exchange {
  readonly url: string;
  /** Headers with credentials, protocol version and session. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called for messages of the server other than the response. @param lastEventId event from which the stream can be resumed; null if it cannot */
  onMessage(message: RpcMessage, lastEventId: string | null): void;
}

/** Delay before a broken event stream is resumed, unless the server names one. */
const DEFAULT_RETRY_MS = 1_000;
const MAX_RETRY_MS = 10_000;
const MAX_RESUMPTIONS = 5;

/** Parses the messages of a text: one, or those of a batch, which the revision 2025-03-26 allows. */
function parseMessages(text: string): RpcMessage[] {
  try {
    return v.parse(v.array(RpcMessage), [JSON.parse(text)].flat());
  } catch (cause) {
    throw new ToolServerError("The server sent a message that is not JSON-RPC.", { isOutcomeUnknown: true, cause });
  }
}

/** Returns the message that is the response to the request, or null. Passes any other message to `onMessage`. */
function selectResponse(
  text: string,
  id: number,
  onMessage: Exchange["onMessage"],
  lastEventId: string | null = null,
): RpcMessage | null {
  // Servers open streams with an event without data.
  if (text.trim() === "") return null;
  let response: RpcMessage | null = null;
  for (const message of parseMessages(text)) {
    if (message.method === undefined && message.id === id) response = message;
    else onMessage(message, lastEventId);
  }
  return response;
}

/** Reads an event stream until the response arrives. @returns null if the stream ends before the response */
async function readStream(
  body: GuardedResponse["body"],
  parser: EventParser,
  id: number,
  { onMessage }: Exchange,
): Promise<RpcMessage | null> {
  let size = 0;
  try {
    for await (const bytes of body) {
      size += (bytes as Buffer).length;
      if (size > MAX_RESPONSE_BYTES)
        throw new ToolServerError("The response is too large.", { isOutcomeUnknown: true });
      for (const data of parser.push(bytes as Buffer)) {
        const response = selectResponse(data, id, onMessage, parser.lastEventId);
        if (response) return response;
      }
    }
  } finally {
    body.destroy();
  }
  const { lastEventId } = parser;
  const [rest] = parser.end();
  if (rest === undefined) return null;
  try {
    return selectResponse(rest, id, onMessage, parser.lastEventId);
  } catch (error) {
    if (lastEventId === null) throw error;
    // The event was cut off. The server sends it again when the stream is resumed after the one before.
    parser.lastEventId = lastEventId;
    return null;
  }
}

function requestFrom(lastEventId: string, { url, headers, signal }: Exchange): Promise<GuardedResponse> {
  const resumed = { ...headers, accept: "text/event-stream", "last-event-id": lastEventId };
  return requestToolServer(url, { method: "GET", headers: resumed, signal });
}

/**
 * Reads an event stream until the response arrives. If the stream breaks first, it is resumed up to `MAX_RESUMPTIONS`
 * times, which the revisions with sessions allow.
 */
async function readResumable(
  first: GuardedResponse,
  id: number,
  exchange: Exchange,
  lastEventId: string | null = null,
): Promise<RpcMessage> {
  const { signal } = exchange;
  const parser = new EventParser();
  parser.lastEventId = lastEventId;
  let response = first;
  for (let resumptions = 0; ; resumptions++) {
    const message = await readStream(response.body, parser, id, exchange).catch((error: unknown) => {
      // A connection that breaks is resumed like a stream that ends.
      if (signal.aborted || error instanceof ToolServerError || parser.lastEventId === null) throw error;
      return null;
    });
    if (message) return message;
    if (parser.lastEventId === null || resumptions === MAX_RESUMPTIONS) break;
    await sleep(Math.min(parser.retryMs ?? DEFAULT_RETRY_MS, MAX_RETRY_MS), undefined, { signal });
    response = await requestFrom(parser.lastEventId, exchange);
    if (response.status !== 200) break;
    parser.restart();
  }
  throw new ToolServerError("The server closed the connection before its response.", { isOutcomeUnknown: true });
}

/**
 * Creates the error for an HTTP response without a JSON-RPC response. With a status from 400 to 499, the server has not
 * executed the request; otherwise the outcome is unknown.
 */
function toHttpError(status: number): ToolServerError {
  const known: Readonly<Record<number, string>> = {
    401: "The server refuses the credentials (401).",
    403: "The server denies access (403).",
    404: "The server has nothing at this address (404).",
    429: "The server is busy (429). Try again later.",
  };
  const message =
    known[status] ??
    (status < 400 ? "The server sent no response to the request." : `The server responded with the status ${status}.`);
  return new ToolServerError(message, { status, isOutcomeUnknown: status >= 500 || status < 400 });
}

/** JSON-RPC response with the headers of its HTTP response. */
interface Answer {
  readonly message: RpcMessage;
  readonly headers: GuardedResponse["headers"];
}

const postHeaders = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Sends a JSON-RPC request and returns its response. @throws ToolServerError, also if the response contains an error */
export async function exchangeMessages(
  request: { readonly id: number; readonly method: string; readonly params: object },
  exchange: Exchange,
): Promise<Answer> {
  const { url, signal } = exchange;
  const headers = { ...postHeaders, ...exchange.headers };
  const body = JSON.stringify({ jsonrpc: "2.0", ...request });
  const response = await requestToolServer(url, { method: "POST", headers, body, signal });
  const type = response.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  try {
    let message: RpcMessage | null = null;
    if (type === "text/event-stream") message = await readResumable(response, request.id, exchange);
    else if (type === "application/json") message = await readJson(response, request.id, exchange);
    else response.body.destroy();
    return { message: requireResult(message, response.status), headers: response.headers };
  } catch (error) {
    throw toExchangeError(error, signal);
  }
}

/** Requires that a response contains a result. @throws ToolServerError if there is no response or it contains an error */
function requireResult(message: RpcMessage | null, status: number): RpcMessage {
  if (!message || (!message.result && !message.error)) throw toHttpError(status);
  if (!message.error) return message;
  const { code, message: text, data } = message.error;
  throw new ToolServerError(`The server reports an error: ${text.slice(0, 500)}`, {
    rpcCode: code,
    rpcData: data,
    status,
  });
}

function toExchangeError(error: unknown, signal: AbortSignal): unknown {
  if (!signal.aborted || signal.reason?.name !== "TimeoutError") return toToolServerError(error);
  return new ToolServerError("The server did not respond in time.", { isOutcomeUnknown: true, cause: error });
}

/** Resumes the stream of an earlier request after an event, and returns the response. @throws ToolServerError, also if the response contains an error */
export async function resumeExchange(id: number, lastEventId: string, exchange: Exchange): Promise<RpcMessage> {
  try {
    const response = await requestFrom(lastEventId, exchange);
    const isStream = response.status === 200;
    if (!isStream) response.body.destroy();
    return requireResult(isStream ? await readResumable(response, id, exchange, lastEventId) : null, response.status);
  } catch (error) {
    throw toExchangeError(error, exchange.signal);
  }
}

/** Reads a JSON response. Null for an error whose body is not JSON-RPC, and for a message that is not the response. */
async function readJson(response: GuardedResponse, id: number, exchange: Exchange): Promise<RpcMessage | null> {
  const text = await readResponse(response, exchange.signal);
  if (response.status >= 400) {
    // Some servers report errors without the id of the request.
    const parsed = v.safeParse(v.looseObject({ error: v.object({ code: v.number() }) }), parseJson(text));
    if (!parsed.success) return null;
    return parseMessages(text)[0] ?? null;
  }
  return selectResponse(text, id, exchange.onMessage);
}

/** Sends a message to which the server sends no response, such as a notification. @returns the HTTP status */
export async function notify(message: object, { url, headers, signal }: Omit<Exchange, "onMessage">): Promise<number> {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  const { body: rest, status } = await requestToolServer(url, {
    method: "POST",
    headers: { ...postHeaders, ...headers },
    body,
    signal,
  });
  rest.destroy();
  return status;
}

/** Id that no request has, so that every message of the stream goes to `onMessage`. */
const NO_REQUEST = -1;

/** Opens the stream on which a server sends messages outside of responses. Returns once the stream is open; a server without such a stream is no error. */
export async function openServerStream(exchange: Exchange): Promise<void> {
  const { url, headers, signal } = exchange;
  const ended = (error: unknown) => void (signal.aborted || log.info("stream of tool server ended", { error }));
  try {
    const accept = "text/event-stream";
    const {
      status,
      body,
      headers: received,
    } = await requestToolServer(url, {
      method: "GET",
      headers: { ...headers, accept },
      signal,
    });
    if (status !== 200 || !received["content-type"]?.startsWith(accept)) return void body.destroy();
    readStream(body, new EventParser(), NO_REQUEST, exchange).catch(ended);
  } catch (error) {
    ended(error);
  }
}
