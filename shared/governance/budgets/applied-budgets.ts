import type { Budget, BudgetWindow } from "../../api/governance/budgets.ts";
import type { EmbedKey } from "../../api/tenancy/embed-keys.ts";
import { TENANT_LEDGER } from "../../dynamodb/items/governance/budget-ledger.item.ts";
import type { Item } from "../../dynamodb/table.ts";
import type { ChargeUnit } from "../../lib/charges.ts";
import { now } from "../../lib/clock.ts";
import { sha256Bytes } from "../../lib/hash.ts";
import { listGroupsOfUser } from "../../tenancy/group-store.ts";
import type { Tenant } from "../../tenancy/tenant-store.ts";
import { getBudgets } from "./budget-store.ts";
import { type CurrentWindow, findWindow } from "./budget-window.ts";
import { findLedger, MINUTE_LEDGER_PREFIX } from "./ledger-store.ts";

/** Budget, or a limit of tokens per minute or of answers in progress, which is counted like one. */
type Limited = Omit<Budget, "unit" | "window"> & {
  readonly unit: ChargeUnit;
  readonly window: BudgetWindow | "minute";
};

/** Returns true for a budget, and false for a limit of tokens per minute or of answers in progress. */
export const isBudget = (limited: Limited): limited is Budget =>
  limited.window !== "minute" && limited.unit !== "concurrent";

/** Tenant, user, key and persona to which an answer is charged. */
interface Spender {
  readonly tenant: Tenant;
  /** User who asks; null for services of API keys and for widget visitors. */
  readonly userId: string | null;
  readonly keyId: string | null;
  /** Embed key of the website whose visitor asks. */
  readonly embedKey?: Pick<EmbedKey, "daily_tokens" | "created_at"> | undefined;
  readonly personaId: string | null | Promise<string | null>;
}

/** Budget or limit that applies to an answer, with its counter in the current window. */
export interface BudgetInWindow {
  readonly budget: Limited;
  readonly ledger: string;
  readonly counter: string;
  readonly window: CurrentWindow;
}

/** Returns the limit of a budget in the unit of its counter; dollars are counted in millionths. */
export const toLimit = ({ unit, limit }: Limited): number => (unit === "usd" ? Math.round(limit * 1_000_000) : limit);

const MINUTE_MS = 60_000;

function toMinute(budget: Limited): BudgetInWindow {
  const minute = Math.floor(now() / MINUTE_MS);
  const window = { id: "minute", startsAt: minute * MINUTE_MS, resetsAt: (minute + 1) * MINUTE_MS };
  return { budget, ledger: MINUTE_LEDGER_PREFIX + minute, counter: "tokens", window };
}

/**
 * Returns a budget with its counter in the current window.
 * @param subject id of the user, key, group or persona, for a budget that each of them has
 */
export function toApplied(budget: Limited, subject: string | null): BudgetInWindow {
  // Each minute has a ledger of its own, which expires.
  if (budget.window === "minute") return toMinute(budget);
  const window = findWindow(budget.window, budget.time_zone, now());
  const isOwn = budget.scope.type !== "tenant" && budget.scope.id === null;
  const ledger = isOwn ? `${budget.scope.type}#${subject}` : TENANT_LEDGER;
  return { budget, ledger, counter: `${sha256Bytes(budget.id).toString("hex", 0, 5)}_${window.id}`, window };
}

/** Returns a tenant's limits of tokens per minute and of answers in progress. */
function toLimits({ limits: { tokens_per_minute, concurrent_runs }, created_at }: Tenant): Limited[] {
  const scope = { type: "tenant" as const, id: null };
  const limited = { scope, time_zone: "UTC", source: "operator" as const, created_at };
  const tokens = { ...limited, id: "tokens-per-minute", name: "tokens per minute", unit: "tokens" as const };
  const runs = { ...limited, id: "concurrent-runs", name: "answers in progress", unit: "concurrent" as const };
  return [
    ...(tokens_per_minute === undefined ? [] : [{ ...tokens, limit: tokens_per_minute, window: "minute" as const }]),
    ...(concurrent_runs === undefined ? [] : [{ ...runs, limit: concurrent_runs, window: "total" as const }]),
  ];
}

/** Returns the limit of tokens a day that each embed key has for its visitors. */
const toVisitorLimit = ({ daily_tokens, created_at }: Pick<EmbedKey, "daily_tokens" | "created_at">): Limited => ({
  ...{ id: "visitor-tokens", name: "Visitors of the website", unit: "tokens", limit: daily_tokens, window: "day" },
  ...{ scope: { type: "key", id: null }, time_zone: "UTC", source: "administrator", created_at },
});

/** Returns the budgets that apply to an answer. A budget for each group applies once for every group of the user. */
function selectBudgets(
  budgets: readonly Limited[],
  { tenant, userId, keyId }: Spender,
  groupIds: readonly string[],
  personaId: string | null,
): BudgetInWindow[] {
  const subjects = {
    tenant: [tenant.tenant_id],
    group: groupIds,
    user: userId === null ? [] : [userId],
    key: keyId === null ? [] : [keyId],
    persona: personaId === null ? [] : [personaId],
  };
  return budgets.flatMap((budget) => {
    const { type, id } = budget.scope;
    const isSubject = (subject: string) => id === null || id === subject;
    return subjects[type].filter(isSubject).map((subject) => toApplied(budget, subject));
  });
}

/** Budgets that apply to an answer, and the ledger items with their counters. */
export interface BudgetCheck {
  readonly applied: readonly BudgetInWindow[];
  readonly ledgers: ReadonlyMap<string, Item | undefined>;
}

/** Reads the budgets that apply to an answer; null if there are none. Should run in parallel with other reads. */
export async function readBudgets(spender: Spender): Promise<BudgetCheck | null> {
  const { tenant, userId, personaId, embedKey } = spender;
  const scope = { tenantId: tenant.tenant_id };
  const ledgers = new Map<string, Promise<Item | undefined>>();
  const readLedger = (name: string) => {
    if (ledgers.has(name)) return;
    const item = findLedger(scope, name);
    // Handled below, unless another read fails first.
    item.catch(() => {});
    ledgers.set(name, item);
  };
  // The first read of the budgets does not delay that of the ledger, which nearly all of them have.
  if (tenant.budget_count > 0) readLedger(TENANT_LEDGER);
  if (embedKey) readLedger(`key#${spender.keyId}`);
  const ofVisitors = embedKey ? [toVisitorLimit(embedKey)] : [];
  const budgets = [...toLimits(tenant), ...ofVisitors, ...(await getBudgets(tenant))];
  if (budgets.length === 0) return null;
  const needsGroups = userId !== null && budgets.some(({ scope: { type } }) => type === "group");
  const groups = needsGroups ? (await listGroupsOfUser(scope, userId)).map(({ id }) => id) : [];
  const read = (applied: readonly BudgetInWindow[]) => {
    for (const { ledger } of applied) readLedger(ledger);
  };
  // Nearly all ledgers are known before the persona is.
  read(selectBudgets(budgets, spender, groups, null));
  const [applied] = await Promise.all([
    Promise.resolve(personaId).then((id) => {
      const selected = selectBudgets(budgets, spender, groups, id);
      read(selected);
      return selected;
    }),
    ...ledgers.values(),
  ]);
  const items = await Promise.all(Array.from(ledgers, async ([name, item]) => [name, await item] as const));
  return applied.length > 0 ? { applied, ledgers: new Map(items) } : null;
}
