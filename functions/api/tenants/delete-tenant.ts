import { deleteTenantRoute } from "#shared/api/tenancy/tenants.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { requestTenantDeletion } from "#shared/tenancy/tenant-deletion-store.ts";
import { toTenantReply } from "#shared/tenancy/tenant-reply.ts";

export const handler = endpoint(
  deleteTenantRoute,
  async ({ principal, params }) =>
    new Reply(202, toTenantReply(await requestTenantDeletion({ ...principal, tenantId: params.tenant_id }))),
);
