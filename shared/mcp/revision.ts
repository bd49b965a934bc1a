import type { McpMessage } from "../api/tools/mcp.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { decodeHeaderValue } from "../tools/mcp/param-headers.ts";
import { metaKeys, STATELESS_VERSION, sessionVersions } from "../tools/mcp/protocol.ts";
import { codes, RpcError, RpcProblem } from "./rpc-error.ts";

/** Revisions that the server speaks, newest first. */
export const supportedVersions = [STATELESS_VERSION, ...sessionVersions];

/** Parameter that the header `Mcp-Name` repeats, by method. */
const namedParams: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

const metaOf = ({ params }: McpMessage) => params?._meta as Readonly<Record<string, unknown>> | undefined;

/** Tells whether a request is made in the revision without sessions. */
const isStateless = (headers: RequestHeaders, message: McpMessage): boolean =>
  metaOf(message)?.[metaKeys.version] !== undefined || headers["mcp-protocol-version"] === STATELESS_VERSION;

const mismatch = (field: string) =>
  new RpcError(codes.headerMismatch, `The header ${field} must repeat the value of the body.`);

function findProblem(headers: RequestHeaders, message: McpMessage): RpcError | null {
  const { method = "", params } = message;
  const header = headers["mcp-protocol-version"];
  const unsupported = (requested: string) =>
    new RpcError(codes.unsupportedVersion, "The protocol version is not supported.", {
      supported: supportedVersions,
      requested,
    });
  if (!isStateless(headers, message)) {
    return header === undefined || sessionVersions.includes(header) ? null : unsupported(header);
  }
  const meta = metaOf(message);
  const version = meta?.[metaKeys.version];
  const capabilities = meta?.[metaKeys.capabilities];
  if (typeof version !== "string") return new RpcError(codes.invalidParams, `_meta must have ${metaKeys.version}.`);
  if (header !== undefined && header !== version) return mismatch("mcp-protocol-version");
  if (version !== STATELESS_VERSION) return unsupported(version);
  if (typeof capabilities !== "object" || capabilities === null) {
    return new RpcError(codes.invalidParams, `_meta must have ${metaKeys.capabilities}.`);
  }
  const name = params?.[namedParams[method] ?? ""];
  const expected = {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": name }),
  };
  for (const [field, value] of Object.entries(expected)) {
    const sent = headers[field]?.trim();
    if (sent === undefined || decodeHeaderValue(sent) !== value) return mismatch(field);
  }
  return null;
}

/**
 * Checks the revision of a request, and in the one without sessions that `_meta` and headers are complete and equal.
 * @returns true for the revision without sessions
 * @throws RpcProblem
 */
export function requireRevision(headers: RequestHeaders, message: McpMessage): boolean {
  const problem = message.id === undefined ? null : findProblem(headers, message);
  if (problem) throw new RpcProblem(message.id, problem);
  return isStateless(headers, message);
}
