import type { McpMessage } from "../api/tools/mcp.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { decodeHeaderValue } from "../tools/mcp/param-headers.ts";
import { metaKeys, STATELESS_VERSION, sessionVersions } from "../tools/mcp/protocol.ts";
import { codes, RpcError, RpcProblem } from "./rpc-error.ts";

/** Served revisions with a handshake, newest first. 2025-03-26 is not among them, because its servers must accept batches. */
export const handshakeVersions = sessionVersions.filter((version) => version !== "2025-03-26");

/** Served revisions of the MCP specification, newest first. */
export const supportedVersions = [STATELESS_VERSION, ...handshakeVersions];

/** Name of the parameter whose value the header `Mcp-Name` must repeat, by method. */
const namedParams: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

const metaOf = ({ params }: McpMessage) => params?._meta as Readonly<Record<string, unknown>> | undefined;

/** Returns true if a request uses the MCP revision without sessions, according to its `_meta` or header. */
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
    return header === undefined || handshakeVersions.includes(header) ? null : unsupported(header);
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
 * Checks that the MCP revision of a request is supported. In the revision without sessions, `_meta` must be complete and the
 * headers must repeat values of the body.
 * @returns true for the revision without sessions
 * @throws RpcProblem
 */
export function requireRevision(headers: RequestHeaders, message: McpMessage): boolean {
  const problem = message.id === undefined ? null : findProblem(headers, message);
  if (problem) throw new RpcProblem(message.id, problem);
  return isStateless(headers, message);
}
