import { deleteScimUserRoute } from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { deleteScimUser } from "#shared/scim/change-user.ts";
import { scimFormat } from "#shared/scim/scim-format.ts";

export const handler = endpoint(
  deleteScimUserRoute,
  async ({ principal, rights, headers, params }) => {
    const { permissions } = await rights();
    return deleteScimUser({ scope: principal, permissions, headers }, params.user_id);
  },
  scimFormat,
);
