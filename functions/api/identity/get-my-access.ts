import { getMyAccessRoute } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getMyAccessRoute, async ({ principal, rights }) => {
  const { roles, groups, permissions } = await rights();
  return { user_id: principal.userId, roles: [...roles], groups: [...groups], permissions: [...permissions] };
});
