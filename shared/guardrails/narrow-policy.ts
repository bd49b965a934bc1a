import {
  type GuardrailAction,
  type GuardrailPlace,
  type GuardrailPolicy,
  guardrailCategories,
  type StricterActions,
} from "../api/governance/guardrail-policy.ts";

/** Actions in ascending order of severity. */
const severities: readonly GuardrailAction[] = ["off", "flag", "redact", "block"];

/** Returns the more severe of two actions. */
export const stricter = (one: GuardrailAction, other: GuardrailAction) =>
  severities.indexOf(other) > severities.indexOf(one) ? other : one;

/**
 * Returns a policy that has, for each category and place, the strictest of the actions of `policy` and of a persona or
 * API key.
 * @param narrower actions of personas and API keys; a less strict action has no effect
 */
export function narrowPolicy(
  policy: GuardrailPolicy,
  ...narrower: readonly (StricterActions | undefined)[]
): GuardrailPolicy {
  const additions = narrower.filter((actions) => actions !== undefined && Object.keys(actions).length > 0);
  if (additions.length === 0) return policy;
  const actions = structuredClone(policy.actions);
  for (const addition of additions) {
    for (const category of guardrailCategories) {
      const places = actions[category];
      for (const [place, action] of Object.entries(addition?.[category] ?? {}) as [GuardrailPlace, GuardrailAction][]) {
        places[place] = stricter(places[place], action);
      }
    }
  }
  return { ...policy, actions };
}
