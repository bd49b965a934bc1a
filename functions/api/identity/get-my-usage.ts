import { getMyUsageRoute } from "#shared/api/governance/budgets.ts";
import { toUsagePeriod } from "#shared/governance/usage/usage-period.ts";
import { buildUsageReport } from "#shared/governance/usage/usage-report.ts";
import { listUsageOf } from "#shared/governance/usage/usage-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { findUser } from "#shared/tenancy/user-store.ts";

export const handler = endpoint(getMyUsageRoute, async ({ principal, query }) => {
  const { from, to } = toUsagePeriod(query);
  const user = await findUser(principal, principal.userId);
  const records = await listUsageOf(principal, from, to, user?.created_at.slice(0, 10));
  const { usage, totals } = buildUsageReport(records, ["day"]);
  return { from, to, usage: usage.map((row) => ({ ...row, day: String(row.day) })), totals };
});
