import { createScimUserRoute } from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { createScimUser } from "#shared/scim/change-user.ts";
import { userReply } from "#shared/scim/find-users.ts";
import { scimFormat, toScimBase } from "#shared/scim/scim-format.ts";

export const handler = endpoint(
  createScimUserRoute,
  async ({ principal, rights, headers, baseUrl, query, body }) => {
    const { permissions } = await rights();
    const user = await createScimUser({ scope: principal, permissions, headers }, body);
    return userReply(201, principal, toScimBase(baseUrl), user, query);
  },
  scimFormat,
);
