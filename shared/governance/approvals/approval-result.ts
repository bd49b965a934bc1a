import type { Approval } from "../../api/governance/approvals.ts";
import { keys } from "../../dynamodb/keys.ts";
import { equals, exists, ignoreConditionFailed } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";

/** Records the result of an approved action. Does nothing if a result is recorded already. */
export async function recordResult(
  scope: TenantScope,
  id: string,
  result: NonNullable<Approval["result"]>,
): Promise<void> {
  await tenantTable(scope)
    .write({
      update: keys.approval(scope.tenantId, id),
      set: { result, timestamp: now() },
      condition: equals({ result: null }),
    })
    .catch(ignoreConditionFailed);
}

/**
 * Deletes the user's answers from an approval after its run has read them, because decided approvals are retained when
 * a user's data is erased.
 */
export async function forgetAnswers(scope: TenantScope, id: string): Promise<void> {
  await tenantTable(scope)
    .write({
      update: keys.approval(scope.tenantId, id),
      set: { timestamp: now() },
      remove: ["answers"],
      condition: exists(),
    })
    .catch(ignoreConditionFailed);
}
