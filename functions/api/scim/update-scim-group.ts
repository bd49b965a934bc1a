import { updateScimGroupRoute } from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { groupReply, toGroupAttributes } from "#shared/scim/group-resource.ts";
import { changeScimGroup } from "#shared/scim/groups.ts";
import { applyPatch, parseOperations } from "#shared/scim/patch.ts";
import { groupSchema } from "#shared/scim/schemas.ts";
import { scimFormat, toScimBase } from "#shared/scim/scim-format.ts";

export const handler = endpoint(
  updateScimGroupRoute,
  async ({ principal, rights, headers, params, baseUrl, query, body }) => {
    const { permissions } = await rights();
    const operations = parseOperations(body);
    const request = { scope: principal, permissions, headers };
    const group = await changeScimGroup(request, params.id, (current) =>
      applyPatch(groupSchema, toGroupAttributes(current), operations),
    );
    return groupReply(200, toScimBase(baseUrl), group, query);
  },
  scimFormat,
);
