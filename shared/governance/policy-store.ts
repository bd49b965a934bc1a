import * as v from "valibot";
import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import type { Policy, PolicyRules } from "../api/governance/policy.ts";
import { itemReader, trusted } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { absent, type Condition, equals } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { defaultPolicy } from "./policy-rules.ts";

/** Stored policy. It is read in every chat turn, so its rules are validated when it is set, not when it is read. */
const StoredPolicy = v.object({
  banner: trusted<Policy["banner"]>(),
  classification: trusted<Policy["classification"]>(),
  retention: trusted<Policy["retention"]>(),
  export: trusted<Policy["export"]>(),
  approvals: trusted<Policy["approvals"]>(),
  memory: trusted<Policy["memory"]>(),
  sharing: trusted<Policy["sharing"]>(),
  follow_ups: trusted<Policy["follow_ups"]>(),
  models: trusted<Policy["models"]>(),
  guardrails: trusted<GuardrailPolicy>(),
  version: v.number(),
  updated_at: v.nullable(v.string()),
  updated_by: v.nullable(v.string()),
});

export const readPolicy: (item: Readonly<Record<string, unknown>>) => Policy = itemReader(StoredPolicy);

/** Returns the current policy of a tenant, with a strongly consistent read; the default policy if none is set. */
export async function getCurrentPolicy(scope: TenantScope): Promise<Policy> {
  const item = await tenantTable(scope).get(keys.policy(scope.tenantId), { consistent: true });
  return item ? readPolicy(item) : defaultPolicy;
}

/**
 * Replaces a tenant's policy.
 * @param replaced policy that the caller read before; its optional sections stay if the update omits them
 * @param onConflict creates the error to throw if the policy was changed since
 */
export async function replacePolicy(
  member: UserScope,
  update: PolicyRules,
  replaced: Policy,
  onConflict: () => Error,
): Promise<Policy> {
  const policy: Policy = {
    ...update,
    sharing: update.sharing ?? replaced.sharing,
    follow_ups: update.follow_ups ?? replaced.follow_ups,
    models: update.models ?? replaced.models,
    guardrails: update.guardrails ?? replaced.guardrails,
    version: replaced.version + 1,
    updated_at: timestamp(),
    updated_by: member.userId,
  };
  const condition: Condition =
    replaced.version === defaultPolicy.version ? absent(onConflict) : equals({ version: replaced.version }, onConflict);
  await tenantTable(member).write({
    put: { ...keys.policy(member.tenantId), discriminator: "policy", timestamp: now(), ...policy },
    condition,
  });
  return policy;
}
