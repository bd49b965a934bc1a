import { getScimUserRoute } from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { notFound } from "#shared/lib/errors.ts";
import { userReply } from "#shared/scim/find-users.ts";
import { scimFormat, toScimBase } from "#shared/scim/scim-format.ts";
import { findProvisionableUser } from "#shared/tenancy/members/provisioned-user-store.ts";

export const handler = endpoint(
  getScimUserRoute,
  async ({ principal, params, baseUrl, query }) => {
    const user = await findProvisionableUser(principal, params.user_id);
    if (!user) throw notFound();
    return userReply(200, principal, toScimBase(baseUrl), user, query);
  },
  scimFormat,
);
