import { getResourceMetadataRoute } from "#shared/api/tools/mcp.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { describeProtectedResource } from "#shared/mcp/protected-resource.ts";

export const handler = endpoint(getResourceMetadataRoute, async ({ baseUrl }) => describeProtectedResource(baseUrl));
