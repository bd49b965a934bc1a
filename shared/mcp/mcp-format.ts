import { getMcpMetadata } from "../api/tools/mcp.ts";
import type { EndpointOptions } from "../http/chain.ts";
import { problemResponse } from "../http/errors/problems.ts";

/** Format of the errors of `/mcp`: a 401 names the metadata with which clients sign a user in (RFC 9728, section 5.1). */
export const mcpFormat: EndpointOptions = {
  renderError: ({ baseUrl }, error, requestId) => {
    if (error.status !== 401) return undefined;
    const response = problemResponse(error, requestId);
    const challenge = `Bearer resource_metadata="${baseUrl}${getMcpMetadata.path}"`;
    return { ...response, headers: { ...response.headers, "www-authenticate": challenge } };
  },
};
