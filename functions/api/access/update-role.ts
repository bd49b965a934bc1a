import { updateRoleRoute } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizeGrant } from "#shared/tenancy/access-rights.ts";
import { requireCustomRole } from "#shared/tenancy/built-in-roles.ts";
import { updateRole } from "#shared/tenancy/role-store.ts";

export const handler = endpoint(updateRoleRoute, async ({ principal, params, body, rights }) => {
  requireCustomRole(params.name);
  const { permissions } = await rights();
  authorizeGrant(permissions, body.permissions ?? []);
  return updateRole(principal, params.name, body);
});
