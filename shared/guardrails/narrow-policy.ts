import {
  type GuardrailAction,
  type GuardrailPolicy,
  guardrailCategories,
  guardrailPlaces,
  type StricterActions,
} from "../api/governance/guardrail-policy.ts";

/** Actions in order of severity. */
const severities: readonly GuardrailAction[] = ["off", "flag", "redact", "block"];

const stricter = (one: GuardrailAction, other: GuardrailAction) =>
  severities.indexOf(other) > severities.indexOf(one) ? other : one;

/** Returns a policy with the stricter of two actions for each category and place: the policy's, or a persona's or key's. */
export function narrowPolicy(
  policy: GuardrailPolicy,
  ...narrower: readonly (StricterActions | undefined)[]
): GuardrailPolicy {
  const additions = narrower.filter((actions) => actions !== undefined && Object.keys(actions).length > 0);
  if (additions.length === 0) return policy;
  const actions = structuredClone(policy.actions);
  for (const category of guardrailCategories) {
    for (const place of guardrailPlaces) {
      for (const addition of additions) {
        const action = addition?.[category]?.[place];
        if (action) actions[category][place] = stricter(actions[category][place], action);
      }
    }
  }
  return { ...policy, actions };
}
