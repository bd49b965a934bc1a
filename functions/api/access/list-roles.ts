import { listRoles } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { listCustomRoles } from "#shared/tenancy/role-store.ts";
import { allBuiltInRoles } from "#shared/tenancy/roles.ts";

export const handler = endpoint(listRoles, async ({ principal }) => ({
  roles: [...allBuiltInRoles(), ...(await listCustomRoles(principal))],
}));
