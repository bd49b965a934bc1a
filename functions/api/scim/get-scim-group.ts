import { getScimGroupRoute } from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { groupReply } from "#shared/scim/group-resource.ts";
import { scimFormat, toScimBase } from "#shared/scim/scim-format.ts";
import { getGroup } from "#shared/tenancy/group-store.ts";

export const handler = endpoint(
  getScimGroupRoute,
  async ({ principal, params, baseUrl, query }) =>
    groupReply(200, toScimBase(baseUrl), await getGroup(principal, params.id), query),
  scimFormat,
);
