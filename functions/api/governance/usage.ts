import { getUsageRoute } from "#shared/api/governance/usage.ts";
import { toIdentityValue } from "#shared/api/user-ids.ts";
import { toUsagePeriod } from "#shared/governance/usage/usage-period.ts";
import { buildUsageReport, getReportFields, sumFindings } from "#shared/governance/usage/usage-report.ts";
import { listUsage } from "#shared/governance/usage/usage-store.ts";
import { csvReply } from "#shared/http/csv-reply.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { negotiateMediaType } from "#shared/http/negotiate-media-type.ts";
import { getStorageState } from "#shared/tenancy/storage-store.ts";

export const getUsageHandler = endpoint(getUsageRoute, async ({ principal, tenant, query, headers }) => {
  const { group_by } = query;
  const { from, to } = toUsagePeriod(query);
  const records = await listUsage(principal, from, to);
  const report = buildUsageReport(records, group_by, query.cost);
  if (negotiateMediaType(headers, ["application/json", "text/csv"]) === "application/json") {
    const storage = await getStorageState(tenant);
    return { from, to, group_by, ...report, findings: sumFindings(records), storage };
  }
  const rows = report.usage.map((row) => ({ ...row, ...(row.user_id && { user_id: toIdentityValue(row.user_id) }) }));
  return csvReply(rows, getReportFields(group_by, query.cost));
});
