import { getMcpMetadata } from "../api/tools/mcp.ts";
import type { EndpointOptions } from "../http/chain.ts";
import { problemResponse } from "../http/errors/problems.ts";
import { RpcProblem } from "./rpc-error.ts";

/** Format of the errors of `/mcp`: those of messages are JSON-RPC, and a 401 names the metadata with which clients sign a user in (RFC 9728, section 5.1). */
export const mcpFormat: EndpointOptions = {
  renderError: ({ baseUrl }, error, requestId) => {
    if (error instanceof RpcProblem) {
      const headers = { "content-type": "application/json" };
      return { statusCode: error.status, headers, body: JSON.stringify(error.response) };
    }
    if (error.status !== 401) return undefined;
    const response = problemResponse(error, requestId);
    const challenge = `Bearer resource_metadata="${baseUrl}${getMcpMetadata.path}"`;
    return { ...response, headers: { ...response.headers, "www-authenticate": challenge } };
  },
};
