import { pathOf } from "#shared/api/define-route.ts";
import { createTenantRoute, getTenantRoute } from "#shared/api/tenancy/tenants.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { toTenantReply } from "#shared/tenancy/tenant-reply.ts";
import { createTenant } from "#shared/tenancy/tenant-store.ts";

export const handler = endpoint(createTenantRoute, async ({ principal, body: { id, ...properties } }) => {
  const { tenant, existed } = await createTenant({ ...principal, tenantId: id }, properties);
  if (existed) throw new ServiceError("conflict", "A tenant with this id exists or existed.");
  return new Reply(201, toTenantReply({ ...tenant, deletedItems: {} }), {
    location: pathOf(getTenantRoute, { tenant_id: id }),
  });
});
