import { updateScimUserRoute } from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { changeScimUser } from "#shared/scim/change-user.ts";
import { userReply } from "#shared/scim/find-users.ts";
import { applyPatch, parseOperations } from "#shared/scim/patch.ts";
import { userSchema } from "#shared/scim/schemas.ts";
import { scimFormat, toScimBase } from "#shared/scim/scim-format.ts";
import { toUserAttributes } from "#shared/scim/user-resource.ts";

export const handler = endpoint(
  updateScimUserRoute,
  async ({ principal, rights, headers, params, baseUrl, query, body }) => {
    const { permissions } = await rights();
    const operations = parseOperations(body);
    const request = { scope: principal, permissions, headers };
    const user = await changeScimUser(request, params.user_id, (current) => {
      const attributes = { ...toUserAttributes(current), active: current.deactivated_at === null };
      return applyPatch(userSchema, attributes, operations);
    });
    return userReply(200, principal, toScimBase(baseUrl), user, query);
  },
  scimFormat,
);
