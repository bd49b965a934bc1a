import * as v from "valibot";
import type { InvestigationBudget } from "../api/webhooks/investigate.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { anyOf, atMost, lacksAttribute, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, timestamp } from "../lib/clock.ts";

const RETENTION_SECONDS = 40 * 24 * 3_600;

/** Tokens that were used or are reserved on a day, and the cost of the used ones in millionths of a US dollar. */
const Spent = v.object({ tokens: v.number(), microdollars: v.optional(v.number(), 0) });
type Spent = v.InferOutput<typeof Spent>;
const readSpent = itemReader(Spent);

const budgetDay = (): string => timestamp().slice(0, 10);

async function readBudget(scope: TenantScope, channelId: string, day: string): Promise<Spent> {
  const key = keys.investigationBudget(scope.tenantId, channelId, day);
  const item = await tenantTable(scope).get(key, { consistent: true });
  return item ? readSpent(item) : { tokens: 0, microdollars: 0 };
}

/** Tokens that one investigation reserves in the budget of its channel for a day. */
interface Reservation {
  readonly day: string;
  readonly tokens: number;
  /**
   * Write for the transaction that starts the run. It fails if other investigations have reserved too many tokens in
   * the meantime.
   */
  readonly write: Write;
}

/** Returns a reservation of tokens, or null if the channel's budget for today (UTC) is used up. */
export async function reserveBudget(
  scope: TenantScope,
  channelId: string,
  { tokens_per_day, tokens_per_run, usd_per_day }: InvestigationBudget,
): Promise<Reservation | null> {
  const day = budgetDay();
  const tokens = Math.min(tokens_per_run, tokens_per_day);
  const spent = await readBudget(scope, channelId, day);
  if (spent.tokens + tokens > tokens_per_day) return null;
  if (usd_per_day !== null && spent.microdollars >= usd_per_day * 1_000_000) return null;
  const write: Write = {
    update: keys.investigationBudget(scope.tenantId, channelId, day),
    add: { tokens },
    set: { ttl: expiresAfter(RETENTION_SECONDS) },
    setIfAbsent: { discriminator: "investigation-budget" },
    condition: anyOf([lacksAttribute("tokens"), atMost({ tokens: tokens_per_day - tokens })]),
  };
  return { day, tokens, write };
}

/** Returns the write that replaces the reserved tokens by the used ones, and adds their cost. */
export const settleBudgetWrite = (
  scope: TenantScope,
  channelId: string,
  reserved: { readonly day: string; readonly tokens: number },
  used: { readonly tokens: number; readonly costUsd: number | null },
): Write => ({
  update: keys.investigationBudget(scope.tenantId, channelId, reserved.day),
  add: { tokens: used.tokens - reserved.tokens, microdollars: Math.round((used.costUsd ?? 0) * 1_000_000) },
  set: { ttl: expiresAfter(RETENTION_SECONDS) },
  setIfAbsent: { discriminator: "investigation-budget" },
});
