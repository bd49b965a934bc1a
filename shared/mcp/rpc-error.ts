import type { McpMessage, McpResponse } from "../api/tools/mcp.ts";
import { ServiceError } from "../lib/errors.ts";

/** Error codes of JSON-RPC 2.0 and of MCP. */
export const codes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
} as const;

/** Error that the JSON-RPC response to a request reports, with the HTTP status 200. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Returns the JSON-RPC response for an error. */
export const rpcErrorResponse = (id: McpMessage["id"], { code, message, data }: RpcError): McpResponse => ({
  jsonrpc: "2.0",
  id: id ?? null,
  error: { code, message, ...(data !== undefined && { data }) },
});

/** JSON-RPC error that is sent with an HTTP status of 400 or 404. */
export class RpcProblem extends ServiceError {
  readonly response: McpResponse;

  constructor(id: McpMessage["id"], error: RpcError) {
    super(error.code === codes.methodNotFound ? "not_found" : "validation_failed", error.message);
    this.response = rpcErrorResponse(id, error);
  }
}
