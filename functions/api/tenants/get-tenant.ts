import { getTenantRoute } from "#shared/api/tenancy/tenants.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getAdministeredTenant } from "#shared/tenancy/tenant-admin-store.ts";
import { toTenantReply } from "#shared/tenancy/tenant-reply.ts";

export const handler = endpoint(getTenantRoute, async ({ params }) =>
  toTenantReply(await getAdministeredTenant({ tenantId: params.tenant_id })),
);
