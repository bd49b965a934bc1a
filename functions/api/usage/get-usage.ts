import { stringify } from "csv-stringify/sync";
import { getUsage } from "#shared/api/usage.ts";
import { now, timestamp } from "#shared/clock.ts";
import { usageBetween } from "#shared/data/usage-store.ts";
import { usageReport } from "#shared/domain/usage-report.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { preferredType } from "#shared/http/preferred-type.ts";
import { textReply } from "#shared/http/reply.ts";

const dayBefore = (days: number) => timestamp(now() - days * 24 * 3_600_000).slice(0, 10);

export const handler = endpoint(getUsage, async ({ principal, query, headers }) => {
  const { from = dayBefore(29), to = dayBefore(0), group_by } = query;
  const report = usageReport(await usageBetween(principal, from, to), group_by);
  if (preferredType(headers, ["application/json", "text/csv"]) === "application/json") {
    return { from, to, group_by, ...report };
  }
  // Spreadsheets take what begins with a sign for a formula, and ids may begin with one.
  return textReply(200, "text/csv; charset=utf-8", stringify(report.usage, { header: true, escape_formulas: true }));
});
