import type { ServerTool } from "../../api/tools/tool-server.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { resolvePointer, SchemaError } from "../expand-schema.ts";
import type { CallResult } from "../mcp/protocol.ts";
import { readResponse, requestToolServer } from "../request-tool-server.ts";
import type { StoredToolServer } from "../server-store.ts";
import { ToolServerError } from "../tool-server-error.ts";

/** Maximum size of a response, in bytes. Its text is truncated further for the prompt. */
const MAX_BYTES = 2 * 1_048_576;

const toText = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));

const invalidArgument = (name: string) => new ToolServerError(`The argument ${name} is invalid.`);

/**
 * Encodes an argument as a path segment.
 * @throws ToolServerError for an empty value, `.` or `..`, which would change the path, and for text that is not Unicode
 */
function toSegment(name: string, value: unknown): string {
  const text = toText(value ?? "");
  if (text === "" || text === "." || text === ".." || !text.isWellFormed()) throw invalidArgument(name);
  return encodeURIComponent(text);
}

/**
 * Returns an argument as the value of a header.
 * @throws ToolServerError for a value that a header cannot carry unchanged, because the changed one can be that of another person
 */
function toHeaderValue(name: string, value: unknown): string {
  const text = toText(value);
  if (text.trim() !== text || !/^[\x20-\x7e]*$/.test(text)) throw invalidArgument(name);
  return text;
}

/**
 * Builds the HTTP request of a call. Arguments are encoded for their place, so that they cannot change the path or the
 * host.
 */
export function toActionRequest(
  baseUrl: string,
  request: NonNullable<ServerTool["request"]>,
  input: Readonly<Record<string, unknown>>,
) {
  const { method, path, places } = request;
  const filled = path.replace(/\{([^{}]+)\}/g, (_, name: string) => toSegment(name, input[name]));
  const url = new URL(baseUrl.replace(/\/{1,10}$/, "") + filled);
  const headers: Record<string, string> = {};
  const rest: Record<string, unknown> = {};
  let body: unknown;
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || value === null) continue;
    const place = places[name];
    if (place === "query") for (const each of [value].flat()) url.searchParams.append(name, toText(each));
    else if (place === "header" && /^x-[a-z0-9-]{1,60}$/i.test(name))
      headers[name.toLowerCase()] = toHeaderValue(name, value);
    else if (place === "body") body = value;
    else if (place === undefined) rest[name] = value;
  }
  const hasBody = method !== "GET" && method !== "HEAD" && method !== "DELETE";
  const content = body ?? (hasBody && Object.keys(rest).length > 0 ? rest : undefined);
  return { method, url: url.href, headers, body: content === undefined ? undefined : JSON.stringify(content) };
}

/**
 * Returns the parts of a JSON response that the pointers name, by pointer. Pointers without a target are left out;
 * without pointers, the whole response is returned.
 */
export function selectPointers(value: unknown, pointers: readonly string[]): unknown {
  if (pointers.length === 0) return value;
  const found = pointers.flatMap((pointer) => {
    try {
      return [[pointer, resolvePointer(value as Record<string, unknown>, `#${pointer}`)]];
    } catch (error) {
      if (error instanceof SchemaError) return [];
      throw error;
    }
  });
  return Object.fromEntries(found);
}

/**
 * Sends the request of an action and returns the response as the result of a tool call. A status from 400 is an error
 * result.
 * @throws ToolServerError if the request could not be sent, the token was refused, or its outcome is unknown
 */
export async function callAction(
  server: StoredToolServer,
  { name, request }: ServerTool,
  input: Readonly<Record<string, unknown>>,
  credentials: Readonly<Record<string, string>>,
  runSignal: AbortSignal,
): Promise<CallResult> {
  if (!request) throw new ToolServerError("The action has no request.");
  const signal = AbortSignal.any([runSignal, AbortSignal.timeout(server.limits.timeout_seconds * 1_000)]);
  const { method, url, headers, body } = toActionRequest(server.url, request, input);
  const response = await requestToolServer(url, {
    method,
    headers: {
      accept: "application/json, text/*;q=0.8",
      ...headers,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...credentials,
    },
    ...(body !== undefined && { body }),
    signal,
  });
  const { status } = response;
  const text = await readResponse(response, signal, MAX_BYTES);
  if (status === 401 && server.oauth) throw new ToolServerError("The server refuses the token (401).", { status });
  if (status >= 500 && method !== "GET") {
    throw new ToolServerError(`The server responded with the status ${status}.`, { status, isOutcomeUnknown: true });
  }
  const json = parseJson(text);
  const isError = status >= 400;
  const value = json === undefined || isError ? json : selectPointers(json, server.response_pointers[name] ?? []);
  const base = { isError, resultType: "complete" };
  if (value === undefined) return { ...base, content: [{ type: "text", text: `${status} ${text}` }] };
  return { ...base, content: [], structuredContent: isError ? { status, error: value } : value };
}
