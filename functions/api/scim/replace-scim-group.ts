import { replaceScimGroupRoute } from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { groupReply } from "#shared/scim/group-resource.ts";
import { changeScimGroup } from "#shared/scim/groups.ts";
import { scimFormat, toScimBase } from "#shared/scim/scim-format.ts";

export const handler = endpoint(
  replaceScimGroupRoute,
  async ({ principal, rights, headers, params, baseUrl, query, body }) => {
    const { permissions } = await rights();
    const request = { scope: principal, permissions, headers };
    const group = await changeScimGroup(request, params.id, () => body);
    return groupReply(200, toScimBase(baseUrl), group, query);
  },
  scimFormat,
);
