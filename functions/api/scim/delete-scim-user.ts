import { deleteScimUser } from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as users from "#shared/scim/change-user.ts";
import { scimFormat } from "#shared/scim/scim-format.ts";

export const handler = endpoint(
  deleteScimUser,
  async ({ principal, rights, headers, params }) => {
    const { permissions } = await rights();
    return users.deleteScimUser({ scope: principal, permissions, headers }, params.user_id);
  },
  scimFormat,
);
