import type { McpMessage, McpResponse } from "../api/tools/mcp.ts";
import { ServiceError } from "../lib/errors.ts";

/** Error codes of JSON-RPC and of the protocol. */
export const codes = {
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
} as const;

/** Error of a request that its JSON-RPC response reports. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Returns the response that reports an error. */
export const errorResponse = (id: McpMessage["id"], { code, message, data }: RpcError): McpResponse => ({
  jsonrpc: "2.0",
  id: id ?? null,
  error: { code, message, ...(data !== undefined && { data }) },
});

/** Error that is reported with an HTTP status other than 200, in the form of JSON-RPC. */
export class RpcProblem extends ServiceError {
  readonly response: McpResponse;

  constructor(id: McpMessage["id"], error: RpcError) {
    super(error.code === codes.methodNotFound ? "not_found" : "validation_failed", error.message);
    this.response = errorResponse(id, error);
  }
}
