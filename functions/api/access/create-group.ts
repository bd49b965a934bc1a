import { createGroupRoute } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { newId } from "#shared/lib/ids.ts";
import { authorizeRoleGrant } from "#shared/tenancy/access-rights.ts";
import { newGroupWrites } from "#shared/tenancy/group-store.ts";

export const handler = endpoint(createGroupRoute, async ({ principal, body, rights, commit }) => {
  await authorizeRoleGrant(principal, (await rights()).permissions, body.roles);
  const group = { id: newId(), ...body };
  return commit(group, ...newGroupWrites(principal, group));
});
