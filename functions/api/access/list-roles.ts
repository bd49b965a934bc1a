import { listRoles } from "#shared/api/access.ts";
import { listCustomRoles } from "#shared/data/role-store.ts";
import { allBuiltInRoles } from "#shared/domain/roles.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listRoles, async ({ principal }) => ({
  roles: [...allBuiltInRoles(), ...(await listCustomRoles(principal))],
}));
