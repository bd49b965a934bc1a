import { listTenantUsageRoute } from "#shared/api/tenancy/tenants.ts";
import { toUsagePeriod } from "#shared/governance/usage/usage-period.ts";
import { buildUsageReport } from "#shared/governance/usage/usage-report.ts";
import { listUsage } from "#shared/governance/usage/usage-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { listTenants } from "#shared/tenancy/tenant-admin-store.ts";

/** Maximum number of tenants whose usage is read concurrently. */
const CONCURRENCY = 5;

export const handler = endpoint(listTenantUsageRoute, async ({ query: { limit, cursor, cost, ...days } }) => {
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
});
