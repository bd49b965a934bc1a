import type { Policy, PolicyRules } from "../api/governance/policy.ts";
import { keys } from "../dynamodb/keys.ts";
import type { Condition, Item } from "../dynamodb/table.ts";
import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { defaultPolicy } from "./policy-rules.ts";

/** The policy of an item. */
export const policyIn = (item: Item) => item as unknown as Policy;

/** The policy that holds in a tenant at this moment: one strongly consistent read; the default where none was set. */
export async function policyOf(scope: TenantScope): Promise<Policy> {
  const item = await tenantTable(scope).get(keys.policy(scope.tenantId), { consistent: true });
  return item ? policyIn(item) : defaultPolicy;
}

/**
 * Replaces a tenant's policy.
 * @param replaced version of the policy that this one is made from
 * @param stale what to throw where another one holds meanwhile
 */
export async function replacePolicy(
  member: UserScope,
  rules: PolicyRules,
  replaced: number,
  stale: () => Error,
): Promise<Policy> {
  const policy = { ...rules, version: replaced + 1, updated_at: timestamp(), updated_by: member.userId };
  const condition: Condition =
    replaced === defaultPolicy.version
      ? { where: "attribute_not_exists(#pk)", onConditionFailed: stale }
      : { where: "#version = :replaced", values: { replaced }, onConditionFailed: stale };
  await tenantTable(member).write({
    put: { ...keys.policy(member.tenantId), discriminator: "policy", timestamp: now(), ...policy },
    condition,
  });
  return policy;
}
