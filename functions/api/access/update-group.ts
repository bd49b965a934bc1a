import { updateGroupRoute } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizeRoleGrant } from "#shared/tenancy/access-rights.ts";
import { updateGroup } from "#shared/tenancy/group-store.ts";

export const handler = endpoint(updateGroupRoute, async ({ principal, params, body, rights }) => {
  const { permissions } = await rights();
  return updateGroup(
    principal,
    params.id,
    () => body,
    async (before, after) => {
      const isJoined = after.member_ids.some((user) => !before.member_ids.includes(user));
      const granted = isJoined ? after.roles : after.roles.filter((role) => !before.roles.includes(role));
      await authorizeRoleGrant(principal, permissions, granted);
    },
  );
});
