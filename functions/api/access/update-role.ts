import { updateRole } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as roles from "#shared/tenancy/role-store.ts";
import { checkCustom } from "#shared/tenancy/roles.ts";

export const handler = endpoint(updateRole, async ({ principal, params, body }) => {
  checkCustom(params.name);
  return roles.updateRole(principal, params.name, body);
});
