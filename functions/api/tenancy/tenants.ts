import { pathOf } from "#shared/api/define-route.ts";
import {
  createTenantRoute,
  deleteTenantRoute,
  getTenantRoute,
  getTenantUsageRoute,
  listTenantsRoute,
  listTenantUsageRoute,
  updateTenantRoute,
} from "#shared/api/tenancy/tenants.ts";
import { toUsagePeriod } from "#shared/governance/usage/usage-period.ts";
import { buildUsageReport, sumFindings } from "#shared/governance/usage/usage-report.ts";
import { listUsage } from "#shared/governance/usage/usage-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply, Reply } from "#shared/http/reply.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { getStorageState } from "#shared/tenancy/storage-store.ts";
import { getAdministeredTenant, listTenants, updateTenant } from "#shared/tenancy/tenant-admin-store.ts";
import { requestTenantDeletion } from "#shared/tenancy/tenant-deletion-store.ts";
import { toTenantReply } from "#shared/tenancy/tenant-reply.ts";
import { createTenant } from "#shared/tenancy/tenant-store.ts";

export const createTenantHandler = endpoint(createTenantRoute, async ({ principal, body: { id, ...properties } }) => {
  const { tenant, existed } = await createTenant({ ...principal, tenantId: id }, properties);
  if (existed) throw new ServiceError("conflict", "A tenant with this id exists or existed.");
  return new Reply(201, toTenantReply({ ...tenant, deletedItems: {} }), {
    location: pathOf(getTenantRoute, { tenant_id: id }),
  });
});

export const deleteTenantHandler = endpoint(
  deleteTenantRoute,
  async ({ principal, params }) =>
    new Reply(202, toTenantReply(await requestTenantDeletion({ ...principal, tenantId: params.tenant_id }))),
);

export const getTenantUsageHandler = endpoint(getTenantUsageRoute, async ({ params, query }) => {
  const scope = { tenantId: params.tenant_id };
  const { from, to } = toUsagePeriod(query);
  const [records, tenant] = await Promise.all([listUsage(scope, from, to), getAdministeredTenant(scope)]);
  const report = buildUsageReport(records, query.group_by, query.cost);
  const storage = await getStorageState(tenant);
  return { from, to, group_by: query.group_by, ...report, findings: sumFindings(records), storage };
});

export const getTenantHandler = endpoint(getTenantRoute, async ({ params }) =>
  toTenantReply(await getAdministeredTenant({ tenantId: params.tenant_id })),
);

/** Maximum number of tenants whose usage is read concurrently. */
const CONCURRENCY = 5;

export const listTenantUsageHandler = endpoint(
  listTenantUsageRoute,
  async ({ query: { limit, cursor, cost, ...days } }) => {
    const { from, to } = toUsagePeriod(days);
    const { entries, next } = await listTenants({ limit, ...(cursor && { cursor }) });
    const tenants = await mapConcurrent(
      entries,
      async ({ tenant_id, name }) => {
        const { totals } = buildUsageReport(await listUsage({ tenantId: tenant_id }, from, to), [], cost);
        return { tenant_id, name, ...totals };
      },
      CONCURRENCY,
    );
    return { from, to, tenants, limit, next_cursor: next };
  },
);

export const listTenantsHandler = endpoint(listTenantsRoute, async ({ query: { limit, cursor } }) => {
  const { entries, next } = await listTenants({ limit, ...(cursor && { cursor }) });
  return pageReply("tenants", { entries: entries.map(toTenantReply), next }, limit);
});

export const updateTenantHandler = endpoint(updateTenantRoute, async ({ principal, params, body }) =>
  toTenantReply(await updateTenant({ ...principal, tenantId: params.tenant_id }, body)),
);
