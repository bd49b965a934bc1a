import { getTenantUsageRoute } from "#shared/api/tenancy/tenants.ts";
import { toUsagePeriod } from "#shared/governance/usage/usage-period.ts";
import { buildUsageReport, sumFindings } from "#shared/governance/usage/usage-report.ts";
import { listUsage } from "#shared/governance/usage/usage-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getStorageState } from "#shared/tenancy/storage-store.ts";
import { getAdministeredTenant } from "#shared/tenancy/tenant-admin-store.ts";

export const handler = endpoint(getTenantUsageRoute, async ({ params, query }) => {
  const scope = { tenantId: params.tenant_id };
  const { from, to } = toUsagePeriod(query);
  const [records, tenant] = await Promise.all([listUsage(scope, from, to), getAdministeredTenant(scope)]);
  const report = buildUsageReport(records, query.group_by, query.cost);
  const storage = await getStorageState(tenant);
  return { from, to, group_by: query.group_by, ...report, findings: sumFindings(records), storage };
});
