import { updateRole } from "#shared/api/access.ts";
import * as roles from "#shared/data/role-store.ts";
import { checkCustom } from "#shared/domain/roles.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(updateRole, async ({ principal, params, body }) => {
  checkCustom(params.name);
  return roles.updateRole(principal, params.name, body);
});
