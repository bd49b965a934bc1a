import { stringify } from "csv-stringify/sync";
import { getUsage } from "#shared/api/governance/usage.ts";
import { buildUsageReport, getReportFields, sumFindings } from "#shared/governance/usage/usage-report.ts";
import { listUsage } from "#shared/governance/usage/usage-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { negotiateMediaType } from "#shared/http/negotiate-media-type.ts";
import { textReply } from "#shared/http/reply.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { invalidField } from "#shared/lib/errors.ts";

const today = () => timestamp().slice(0, 10);
const daysBefore = (day: string, days: number) => timestamp(Date.parse(day) - days * 24 * 3_600_000).slice(0, 10);

export const handler = endpoint(getUsage, async ({ principal, query, headers }) => {
  const { to = today(), from = daysBefore(to, 29), group_by } = query;
  if (from > to) {
    throw invalidField({ path: "from", location: "query", code: "too_large", message: "must not be after `to`" });
  }
  const records = await listUsage(principal, from, to);
  const report = buildUsageReport(records, group_by);
  if (negotiateMediaType(headers, ["application/json", "text/csv"]) === "application/json") {
    return { from, to, group_by, ...report, findings: sumFindings(records) };
  }
  // Escape formulas: spreadsheets evaluate cells that start with `=`, `+`, `-` or `@`, and ids can start with them.
  const columns = getReportFields(group_by);
  const csv = stringify(report.usage, { header: true, columns, escape_formulas: true });
  return textReply(200, "text/csv; charset=utf-8", csv);
});
