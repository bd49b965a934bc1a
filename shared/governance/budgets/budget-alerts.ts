import type { Change } from "../../changes/processor.ts";
import { TENANT_LEDGER } from "../../dynamodb/items/governance/budget-ledger.item.ts";
import { keys } from "../../dynamodb/keys.ts";
import { absent, ConditionFailed, type Item } from "../../dynamodb/table.ts";
import { scopeFromKey, type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp } from "../../lib/clock.ts";
import { recordMetrics } from "../../lib/metrics.ts";
import { type BudgetInWindow, toApplied, toLimit } from "./applied-budgets.ts";
import { getBudgetsOf } from "./budget-store.ts";
import { pruneLedger, usedName } from "./ledger-store.ts";

/** Percentages of a budget at which an event is sent. */
const THRESHOLDS = [80, 100];

/** Retention of the records that prevent sending an event twice. It must exceed the longest window. */
const RETENTION_SECONDS = 100 * 24 * 3_600;

/** Records once that a budget has reached a threshold. The change feed sends an event for the record. */
async function recordAlert(
  scope: TenantScope,
  { budget, counter, window, ledger }: BudgetInWindow,
  percent: number,
  used: number,
): Promise<void> {
  const { id: budget_id, name, scope: subject, unit, limit } = budget;
  const subject_id = ledger === TENANT_LEDGER ? subject.id : ledger.slice(ledger.indexOf("#") + 1);
  try {
    await tenantTable(scope).write({
      put: {
        ...keys.budgetAlert(scope.tenantId, `${counter}#${ledger}#${percent}`),
        discriminator: "budget-alert",
        timestamp: now(),
        ttl: expiresAfter(RETENTION_SECONDS),
        budget_id,
        name,
        scope: { type: subject.type, id: subject_id },
        percent,
        unit,
        limit,
        used: unit === "usd" ? used / 1_000_000 : used,
        window: budget.window,
        resets_at: window.resetsAt === null ? null : timestamp(window.resetsAt),
      },
      condition: absent(),
    });
    recordMetrics({ metrics: { budgets_reached: 1 }, dimensions: { percent: String(percent) } });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

const usedIn = (ledger: Item | undefined, { counter }: BudgetInWindow) => Number(ledger?.[usedName(counter)] ?? 0);

/** Records budgets that reach a threshold with a change of a ledger, and removes old counters from the ledger. */
export async function recordAlerts({ before, after }: Change): Promise<void> {
  if (!after) return;
  const scope = scopeFromKey(String(after.pk));
  await pruneLedger(scope, after as Item);
  const ledger = String(after.ledger);
  const [, subject = null] = ledger.split("#");
  const budgets = await getBudgetsOf(scope);
  const applied = budgets.map((budget) => toApplied(budget, subject)).filter((one) => one.ledger === ledger);
  for (const one of applied) {
    const used = usedIn(after as Item, one);
    const limit = toLimit(one.budget);
    const reached = THRESHOLDS.filter((percent) => used * 100 >= limit * percent && limit > 0);
    const isNew = (percent: number) => usedIn(before as Item | undefined, one) * 100 < limit * percent;
    await Promise.all(reached.filter(isNew).map((percent) => recordAlert(scope, one, percent, used)));
  }
}
