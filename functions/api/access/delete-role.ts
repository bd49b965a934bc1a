import { deleteRoleRoute } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { requireCustomRole } from "#shared/tenancy/built-in-roles.ts";
import { deleteRole } from "#shared/tenancy/role-store.ts";

export const handler = endpoint(deleteRoleRoute, async ({ principal, params }) => {
  requireCustomRole(params.name);
  await deleteRole(principal, params.name);
});
