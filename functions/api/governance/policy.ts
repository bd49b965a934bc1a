import { getPolicyRoute, updatePolicyRoute } from "#shared/api/governance/policy.ts";
import { getCurrentPolicy, replacePolicy } from "#shared/governance/policy-store.ts";
import { ruleNames } from "#shared/guardrails/rule-names.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { etagHeader, preconditionFailed, requireIfMatch } from "#shared/http/etag.ts";
import { Reply } from "#shared/http/reply.ts";
import { invalidFields } from "#shared/lib/errors.ts";

export const getPolicyHandler = endpoint(getPolicyRoute, async ({ principal }) => {
  const policy = await getCurrentPolicy(principal);
  return new Reply(200, policy, etagHeader(policy));
});

/**
 * Requires that the names of disabled rules exist. A name in the current policy is accepted, because a release can have
 * removed its rule.
 * @throws ServiceError `validation_failed`
 */
function requireKnownRules(disabled: readonly string[], current: readonly string[]): void {
  const errors = disabled.flatMap((name, index) =>
    ruleNames.has(name) || current.includes(name)
      ? []
      : {
          path: `guardrails.disabled_rules.${index}`,
          location: "body" as const,
          code: "invalid_value",
          message: `there is no rule with the name ${JSON.stringify(name)}`,
        },
  );
  if (errors.length > 0) throw invalidFields(errors);
}

export const updatePolicyHandler = endpoint(updatePolicyRoute, async ({ principal, body, headers }) => {
  const current = await getCurrentPolicy(principal);
  requireIfMatch(headers, current);
  requireKnownRules(body.guardrails?.disabled_rules ?? [], current.guardrails.disabled_rules);
  const policy = await replacePolicy(principal, body, current, preconditionFailed);
  return new Reply(200, policy, etagHeader(policy));
});
