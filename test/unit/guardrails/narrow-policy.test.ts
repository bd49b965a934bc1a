import * as v from "valibot";
import { expect, it } from "vitest";
import { defaultGuardrailPolicy, GuardrailPolicy, StricterActions } from "#shared/api/governance/guardrail-policy.ts";
import { narrowPolicy } from "#shared/guardrails/narrow-policy.ts";

it("narrowPolicy(), which makes a guardrail policy stricter, returns the strictest action of policy, persona and API key", () => {
  const policy = v.parse(GuardrailPolicy, { actions: { hate: { question: "redact", answer: "block" } } });
  const narrowed = narrowPolicy(
    policy,
    { hate: { question: "block", answer: "off" }, injection: { program: "flag" } },
    { injection: { program: "block" }, violence: { alert: "redact" } },
  );
  expect(narrowed.actions.hate).toEqual({ ...policy.actions.hate, question: "block", answer: "block" });
  expect(narrowed.actions.injection).toEqual({ ...policy.actions.injection, program: "block" });
  expect(narrowed.actions.violence).toEqual({ ...policy.actions.violence, alert: "redact" });
  expect(narrowed.actions.secrets).toEqual(policy.actions.secrets);
  expect(policy.actions.hate.question).toBe("redact");
});

it("narrowPolicy(), which makes a guardrail policy stricter, returns the policy unchanged if persona and API key are not stricter", () => {
  expect(narrowPolicy(defaultGuardrailPolicy, undefined, {})).toBe(defaultGuardrailPolicy);
  expect(narrowPolicy(defaultGuardrailPolicy, { secrets: { answer: "off" } })).toEqual(defaultGuardrailPolicy);
});

it("schema of stricter guardrail actions accepts known categories, places and actions only", () => {
  expect(v.is(StricterActions, { injection: { question: "block" } })).toBe(true);
  expect(v.is(StricterActions, { injections: {} })).toBe(false);
  expect(v.is(StricterActions, { injection: { questions: "block" } })).toBe(false);
  expect(v.is(StricterActions, { injection: { question: "forbid" } })).toBe(false);
});
