import { deleteRole } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { requireCustomRole } from "#shared/tenancy/built-in-roles.ts";
import * as roles from "#shared/tenancy/role-store.ts";

export const handler = endpoint(deleteRole, async ({ principal, params }) => {
  requireCustomRole(params.name);
  await roles.deleteRole(principal, params.name);
});
