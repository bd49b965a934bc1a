import { deleteRole } from "#shared/api/access.ts";
import * as roles from "#shared/data/role-store.ts";
import { checkCustom } from "#shared/domain/roles.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteRole, async ({ principal, params }) => {
  checkCustom(params.name);
  await roles.deleteRole(principal, params.name);
});
