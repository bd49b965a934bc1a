import { listScimGroups } from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as groups from "#shared/scim/groups.ts";
import { scimFormat, scimReply, toScimBase } from "#shared/scim/scim-format.ts";

export const handler = endpoint(
  listScimGroups,
  async ({ principal, baseUrl, query }) =>
    scimReply(200, await groups.listScimGroups(principal, toScimBase(baseUrl), query)),
  scimFormat,
);
