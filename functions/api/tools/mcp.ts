import { getMcpMetadataRoute, getResourceMetadataRoute } from "#shared/api/tools/mcp.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { describeProtectedResource } from "#shared/mcp/protected-resource.ts";

export const getMcpMetadataHandler = endpoint(getMcpMetadataRoute, async ({ baseUrl }) =>
  describeProtectedResource(baseUrl),
);

export const getResourceMetadataHandler = endpoint(getResourceMetadataRoute, async ({ baseUrl }) =>
  describeProtectedResource(baseUrl),
);
