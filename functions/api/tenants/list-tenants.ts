import { listTenantsRoute } from "#shared/api/tenancy/tenants.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { listTenants } from "#shared/tenancy/tenant-admin-store.ts";
import { toTenantReply } from "#shared/tenancy/tenant-reply.ts";

export const handler = endpoint(listTenantsRoute, async ({ query: { limit, cursor } }) => {
  const { entries, next } = await listTenants({ limit, ...(cursor && { cursor }) });
  return pageReply("tenants", { entries: entries.map(toTenantReply), next }, limit);
});
