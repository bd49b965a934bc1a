import { pathOf } from "#shared/api/define-route.ts";
import { createRoleRoute, updateRoleRoute } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { authorizeGrant } from "#shared/tenancy/access-rights.ts";
import { requireCustomRole } from "#shared/tenancy/built-in-roles.ts";
import { newRoleWrite } from "#shared/tenancy/role-store.ts";

export const handler = endpoint(createRoleRoute, async ({ principal, body, rights, commit }) => {
  requireCustomRole(body.name);
  authorizeGrant((await rights()).permissions, body.permissions);
  const role = { ...body, built_in: false };
  const location = pathOf(updateRoleRoute, { name: role.name });
  return commit(new Reply(201, role, { location }), newRoleWrite(principal, role));
});
