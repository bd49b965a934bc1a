import { createScimGroupRoute } from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { groupReply } from "#shared/scim/group-resource.ts";
import { createScimGroup } from "#shared/scim/groups.ts";
import { scimFormat, toScimBase } from "#shared/scim/scim-format.ts";

export const handler = endpoint(
  createScimGroupRoute,
  async ({ principal, rights, headers, baseUrl, query, body }) => {
    const { permissions } = await rights();
    const group = await createScimGroup({ scope: principal, permissions, headers }, body);
    return groupReply(201, toScimBase(baseUrl), group, query);
  },
  scimFormat,
);
