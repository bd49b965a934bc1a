import * as v from "valibot";
import { callMcpRoute, getMcpMetadataRoute, McpId, type McpResponse } from "../api/tools/mcp.ts";
import { authenticate } from "../http/authenticate.ts";
import type { EndpointOptions } from "../http/chain.ts";
import { problemResponse } from "../http/errors/problems.ts";
import type { HttpRequest } from "../http/http-request.ts";
import { requireOwnOrigin } from "../http/steps.ts";
import { ServiceError } from "../lib/errors.ts";
import { isJsonObject, parseJson } from "../lib/parse-json.ts";
import { codes, RpcError, RpcProblem, rpcErrorResponse } from "./rpc-error.ts";

/** Error codes of JSON-RPC for requests whose body is no message. */
const malformedCodes: Readonly<Partial<Record<ServiceError["code"], number>>> = {
  malformed_body: codes.parseError,
  validation_failed: codes.invalidRequest,
  invalid_structure: codes.invalidRequest,
  payload_too_large: codes.invalidRequest,
  unsupported_media_type: codes.invalidRequest,
};

/** Returns the response for an error that JSON-RPC can express, or null. It has the id of the request if that can be read. */
function toRpcResponse({ rawBody }: HttpRequest, error: ServiceError): McpResponse | null {
  if (error instanceof RpcProblem) return error.response;
  const code = malformedCodes[error.code];
  if (code === undefined) return null;
  const message = parseJson(rawBody.toString());
  const id = v.safeParse(McpId, isJsonObject(message) ? message.id : undefined);
  const data = error.errors && { errors: error.errors };
  return rpcErrorResponse(id.success ? id.output : undefined, new RpcError(code, error.message, data));
}

/**
 * Format of errors on `/mcp`. A 401 names the metadata for signing in (RFC 9728, section 5.1), methods other than POST get
 * 405, which tells clients that the server opens no stream, and errors of messages are JSON-RPC responses.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
 */
export const mcpFormat: EndpointOptions = {
  authenticate: async (context) => {
    await authenticate(context);
    await requireOwnOrigin(context);
  },
  renderError: (http, error, requestId) => {
    if (error.status === 404 && http.method !== callMcpRoute.method) {
      const refusal = new ServiceError("method_not_allowed", undefined, { headers: { allow: callMcpRoute.method } });
      return problemResponse(refusal, requestId);
    }
    const rpcResponse = toRpcResponse(http, error);
    if (rpcResponse) {
      const headers = { "content-type": "application/json" };
      return { statusCode: error.status, headers, body: JSON.stringify(rpcResponse) };
    }
    if (error.status !== 401) return undefined;
    const response = problemResponse(error, requestId);
    const challenge = `Bearer resource_metadata="${http.baseUrl}${getMcpMetadataRoute.path}"`;
    return { ...response, headers: { ...response.headers, "www-authenticate": challenge } };
  },
};
