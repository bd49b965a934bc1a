import { createUsageCorrectionRoute } from "#shared/api/tenancy/usage-corrections.ts";
import { createCorrection } from "#shared/governance/usage/usage-corrections.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { getAdministeredTenant } from "#shared/tenancy/tenant-admin-store.ts";

export const createUsageCorrectionHandler = endpoint(
  createUsageCorrectionRoute,
  async ({ principal, params, body }) => {
    const scope = { ...principal, tenantId: params.tenant_id };
    await getAdministeredTenant(scope);
    const location = `/v1/admin/tenants/${params.tenant_id}/usage`;
    return new Reply(201, await createCorrection(scope, body), { location });
  },
);
