import { listScimGroupsRoute } from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { listScimGroups } from "#shared/scim/groups.ts";
import { scimFormat, scimReply, toScimBase } from "#shared/scim/scim-format.ts";

export const handler = endpoint(
  listScimGroupsRoute,
  async ({ principal, baseUrl, query }) => scimReply(200, await listScimGroups(principal, toScimBase(baseUrl), query)),
  scimFormat,
);
