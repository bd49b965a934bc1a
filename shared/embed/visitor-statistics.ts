import type { VisitorDay } from "../api/embed/visitors.ts";
import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { listDays } from "../governance/usage/usage-period.ts";
import { listUsageOfVisitors, type VisitorUsage } from "../governance/usage/usage-store.ts";

/** Sums up records of a website. */
function sumRecords(records: readonly VisitorUsage[]): Omit<VisitorDay, "day"> {
  const sumOf = (name: Exclude<keyof VisitorUsage, "day">) => records.reduce((sum, record) => sum + record[name], 0);
  const [chats, handed_over, claims] = [sumOf("chats"), sumOf("handed_over"), sumOf("claims")];
  return {
    ...{ opens: sumOf("opens"), chats, handed_over },
    resolved_alone: chats - handed_over,
    waiting_seconds: claims > 0 ? Math.round(sumOf("waiting_seconds") / claims) : null,
    unanswered: sumOf("unanswered"),
    ratings: { up: sumOf("rated_up"), down: sumOf("rated_down") },
    cost_usd: sumOf("cost_micro_usd") / 1_000_000,
  };
}

/**
 * Returns the figures of a website's visitors by day and in total.
 * @throws ServiceError `validation_failed` for more than 31 days
 */
export async function getVisitorStatistics(
  scope: TenantScope,
  { id, created_at }: Pick<EmbedKey, "id" | "created_at">,
  { from, to }: { readonly from: string; readonly to: string },
) {
  const records = await listUsageOfVisitors(scope, id, { from, to, first: created_at.slice(0, 10) });
  const byDay = Map.groupBy(records, ({ day }) => day);
  return {
    ...{ from, to },
    days: listDays(from, to).map((day) => ({ day, ...sumRecords(byDay.get(day) ?? []) })),
    totals: sumRecords(records),
  };
}
