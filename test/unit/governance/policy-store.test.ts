import { expect, it } from "vitest";
import { defaultGuardrailPolicy } from "#shared/api/governance/guardrail-policy.ts";
import { defaultPolicy } from "#shared/governance/policy-rules.ts";
import { readPolicy } from "#shared/governance/policy-store.ts";

it("readPolicy() adds the default guardrails to a stored policy without guardrails", () => {
  const { guardrails: _, ...stored } = defaultPolicy;
  expect(readPolicy(stored).guardrails).toEqual(defaultGuardrailPolicy);
});

it("readPolicy() adds guardrail settings that did not exist when the policy was stored", () => {
  const { allowed_link_hosts: _, ...guardrails } = { ...defaultGuardrailPolicy, disabled_rules: ["exfiltrate"] };
  expect(readPolicy({ ...defaultPolicy, guardrails }).guardrails).toEqual({ ...guardrails, allowed_link_hosts: [] });
});
