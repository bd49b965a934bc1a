import { getScimMetadataRoute } from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getMetadata } from "#shared/scim/metadata.ts";
import { scimFormat, scimReply, toScimBase } from "#shared/scim/scim-format.ts";

export const handler = endpoint(
  getScimMetadataRoute,
  async ({ baseUrl, params, query }) => scimReply(200, getMetadata(toScimBase(baseUrl), params.path, query.filter)),
  scimFormat,
);
