import type { ServerTool } from "../../api/tools/tool-server.ts";
import { resolvePointer, SchemaError } from "../expand-schema.ts";
import type { CallResult } from "../mcp/protocol.ts";
import { readResponse, requestToolServer } from "../request-tool-server.ts";
import type { StoredToolServer } from "../server-store.ts";
import { ToolServerError } from "../tool-server-error.ts";

/** Size limit of a response; its text is cut off further for the prompt. */
const MAX_BYTES = 2 * 1_048_576;

const toText = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** @throws ToolServerError for a value that would change the path */
function toSegment(name: string, value: unknown): string {
  const text = toText(value ?? "");
  if (text === "" || text === "." || text === "..") throw new ToolServerError(`The argument ${name} is invalid.`);
  return encodeURIComponent(text);
}

/** Returns the request of a call: arguments are encoded for their place, and cannot reach another path or site. */
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
      headers[name.toLowerCase()] = toText(value).replaceAll(/[^\x20-\x7e]/g, "");
    else if (place === "body") body = value;
    else if (place === undefined) rest[name] = value;
  }
  const hasBody = method !== "GET" && method !== "HEAD" && method !== "DELETE";
  const content = body ?? (hasBody && Object.keys(rest).length > 0 ? rest : undefined);
  return { method, url: url.href, headers, body: content === undefined ? undefined : JSON.stringify(content) };
}

/** Returns the parts of a response that the pointers name; pointers to nothing are left out. */
export function project(value: unknown, pointers: readonly string[]): unknown {
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Sends the request of an action.
 * @throws ToolServerError
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
  const value = json === undefined || isError ? json : project(json, server.response_pointers[name] ?? []);
  const base = { isError, resultType: "complete" };
  if (value === undefined) return { ...base, content: [{ type: "text", text: `${status} ${text}` }] };
  return { ...base, content: [], structuredContent: isError ? { status, error: value } : value };
}
