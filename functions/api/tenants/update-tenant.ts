import { updateTenantRoute } from "#shared/api/tenancy/tenants.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { updateTenant } from "#shared/tenancy/tenant-admin-store.ts";
import { toTenantReply } from "#shared/tenancy/tenant-reply.ts";

export const handler = endpoint(updateTenantRoute, async ({ principal, params, body }) =>
  toTenantReply(await updateTenant({ ...principal, tenantId: params.tenant_id }, body)),
);
