import { callMcpRoute, getMcpMetadataRoute } from "../api/tools/mcp.ts";
import type { EndpointOptions } from "../http/chain.ts";
import { problemResponse } from "../http/errors/problems.ts";
import { ServiceError } from "../lib/errors.ts";
import { RpcProblem } from "./rpc-error.ts";

/**
 * Format of errors on `/mcp`. A 401 names the metadata for signing in (RFC 9728, section 5.1), methods other than POST get
 * 405, which tells clients that the server opens no stream, and errors of messages are JSON-RPC responses.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
 */
export const mcpFormat: EndpointOptions = {
  renderError: ({ baseUrl, method }, error, requestId) => {
    if (error.status === 404 && method !== callMcpRoute.method) {
      const refusal = new ServiceError("method_not_allowed", undefined, { headers: { allow: callMcpRoute.method } });
      return problemResponse(refusal, requestId);
    }
    if (error instanceof RpcProblem) {
      const headers = { "content-type": "application/json" };
      return { statusCode: error.status, headers, body: JSON.stringify(error.response) };
    }
    if (error.status !== 401) return undefined;
    const response = problemResponse(error, requestId);
    const challenge = `Bearer resource_metadata="${baseUrl}${getMcpMetadataRoute.path}"`;
    return { ...response, headers: { ...response.headers, "www-authenticate": challenge } };
  },
};
