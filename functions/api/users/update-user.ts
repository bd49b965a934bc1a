import { updateUserRoute } from "#shared/api/tenancy/users.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { authorizeGrant, resolveUserRights } from "#shared/tenancy/access-rights.ts";
import { listGroupsOfUser } from "#shared/tenancy/group-store.ts";
import { toUserReply } from "#shared/tenancy/members/user-reply.ts";
import { getUser, setUserActive } from "#shared/tenancy/user-store.ts";

export const handler = endpoint(
  updateUserRoute,
  async ({ principal, rights, params: { user_id }, body: { is_active } }) => {
    const current = await getUser(principal, user_id);
    const groups = await listGroupsOfUser(principal, user_id);
    if ((current.deactivated_at === null) === is_active) return toUserReply(current, groups);
    if (!is_active && [principal.userId, principal.apiKey?.creatorId].includes(user_id)) {
      throw new ServiceError("forbidden", "You cannot deactivate yourself.");
    }
    const { permissions } = await resolveUserRights(principal, { userId: user_id, roles: current.roles });
    authorizeGrant((await rights()).permissions, permissions);
    return toUserReply(await setUserActive(principal, user_id, is_active), groups);
  },
);
