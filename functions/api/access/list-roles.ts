import { listRolesRoute } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { listBuiltInRoles } from "#shared/tenancy/built-in-roles.ts";
import { listCustomRoles } from "#shared/tenancy/role-store.ts";

export const handler = endpoint(listRolesRoute, async ({ principal }) => ({
  roles: [...listBuiltInRoles(), ...(await listCustomRoles(principal))],
}));
