import { replaceScimUserRoute } from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { changeScimUser } from "#shared/scim/change-user.ts";
import { userReply } from "#shared/scim/find-users.ts";
import { scimFormat, toScimBase } from "#shared/scim/scim-format.ts";

export const handler = endpoint(
  replaceScimUserRoute,
  async ({ principal, rights, headers, params, baseUrl, query, body }) => {
    const { permissions } = await rights();
    const request = { scope: principal, permissions, headers };
    const user = await changeScimUser(request, params.user_id, () => body);
    return userReply(200, principal, toScimBase(baseUrl), user, query);
  },
  scimFormat,
);
