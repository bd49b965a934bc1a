import { listScimUsers } from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as users from "#shared/scim/find-users.ts";
import { scimFormat, scimReply, toScimBase } from "#shared/scim/scim-format.ts";

export const handler = endpoint(
  listScimUsers,
  async ({ principal, baseUrl, query }) =>
    scimReply(200, await users.listScimUsers(principal, toScimBase(baseUrl), query)),
  scimFormat,
);
