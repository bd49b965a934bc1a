import { deleteRole } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as roles from "#shared/tenancy/role-store.ts";
import { checkCustom } from "#shared/tenancy/roles.ts";

export const handler = endpoint(deleteRole, async ({ principal, params }) => {
  checkCustom(params.name);
  await roles.deleteRole(principal, params.name);
});
