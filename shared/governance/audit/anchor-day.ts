import { keys } from "../../dynamodb/keys.ts";
import type { Write } from "../../dynamodb/table.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { ServiceError } from "../../lib/errors.ts";
import { daysBefore, today } from "../usage/usage-period.ts";
import { listUsage } from "../usage/usage-store.ts";
import type { ChainHead } from "./audit-chain.ts";

/** Head of a chain with the UTC day on which it was written; null for an empty chain. */
export interface DatedHead extends ChainHead {
  readonly day: string | null;
}

/** Returns what all answers from one day to another consumed; null if there are too many records. */
async function sumTotals(scope: TenantScope, from: string, to: string) {
  try {
    const records = await listUsage(scope, from, to);
    const sumOf = (name: "requests" | "input_tokens" | "output_tokens" | "cost_micro_usd") =>
      records.reduce((sum, record) => sum + record[name], 0);
    return {
      requests: sumOf("requests"),
      input_tokens: sumOf("input_tokens"),
      output_tokens: sumOf("output_tokens"),
      cost_usd: sumOf("cost_micro_usd") / 1e6,
    };
  } catch (error) {
    if (error instanceof ServiceError && error.code === "validation_failed") return null;
    throw error;
  }
}

/**
 * Returns the write that anchors a chain before the first entry of a new UTC day: its change causes the event `audit.anchored`. Stored
 * elsewhere, the hash proves that the chain up to there is as it was. An idle tenant has no anchors and costs nothing.
 * @returns no write if the day of the head is not over
 */
export async function anchorWrites(scope: TenantScope, { seq, hash, day }: DatedHead): Promise<Write[]> {
  const to = daysBefore(today(), 1);
  if (day === null || day > to) return [];
  const totals = await sumTotals(scope, day, to);
  const anchor = { from: day, to, seq, hash, totals };
  return [{ put: { ...keys.auditAnchor(scope.tenantId, day), discriminator: "audit-anchor", ...anchor } }];
}
