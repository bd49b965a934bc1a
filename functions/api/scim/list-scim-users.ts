import { listScimUsersRoute } from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { listScimUsers } from "#shared/scim/find-users.ts";
import { scimFormat, scimReply, toScimBase } from "#shared/scim/scim-format.ts";

export const handler = endpoint(
  listScimUsersRoute,
  async ({ principal, baseUrl, query }) => scimReply(200, await listScimUsers(principal, toScimBase(baseUrl), query)),
  scimFormat,
);
