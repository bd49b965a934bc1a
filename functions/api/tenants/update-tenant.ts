import { updateTenant } from "#shared/api/tenancy/tenants.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as tenants from "#shared/tenancy/tenant-admin-store.ts";
import { toTenantReply } from "#shared/tenancy/tenant-reply.ts";

export const handler = endpoint(updateTenant, async ({ principal, params, body }) =>
  toTenantReply(await tenants.updateTenant({ ...principal, tenantId: params.tenant_id }, body)),
);
