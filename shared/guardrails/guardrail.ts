import {
  defaultGuardrailPolicy,
  type GuardrailPlace,
  type GuardrailPolicy,
} from "../api/governance/guardrail-policy.ts";
import { env } from "../lib/env.ts";
import { type MetricName, recordMetrics } from "../lib/metrics.ts";
import { applyPolicy, placeOf } from "./apply-policy.ts";
import type { Detection, Detector, Guardrail, GuardrailVerdict } from "./types.ts";

/** Detector that never finds anything, for deployments that check texts elsewhere. */
const none: Detector = { detect: async () => ({ findings: [], spans: [] }) };

const local = async (policy: GuardrailPolicy) => (await import("./local/local-detector.ts")).localDetector(policy);

const withModel = (kind: "moderation" | "judge") => async (policy: GuardrailPolicy) =>
  (await import("./model-detectors.ts")).modelDetector(kind, await local(policy), policy);

/**
 * Detectors by the value of `GUARDRAIL_PROVIDER`. They are imported on demand, so that unused ones do not slow the cold
 * start.
 */
const providers: Readonly<Record<string, (policy: GuardrailPolicy) => Promise<Detector>>> = {
  local,
  bedrock: async (policy) => (await import("./bedrock-detector.ts")).bedrockDetector(policy),
  moderation: withModel("moderation"),
  judge: withModel("judge"),
  none: async () => none,
};

const metricByAction = {
  allow: "guardrail_flags",
  redact: "guardrail_redactions",
  block: "guardrail_blocks",
} as const satisfies Record<GuardrailVerdict["action"], MetricName>;

/** Records a metric for a verdict, by the rule or category that caused it, and a log line without the text. */
function reportVerdict(
  { action, categories, rules }: GuardrailVerdict,
  place: GuardrailPlace,
  { findings }: Detection,
): void {
  // The formats of sensitive data are too many for a dimension: CloudWatch bills each of its values.
  const [rule] = findings.flatMap((finding) => finding.rule ?? []);
  recordMetrics({
    metrics: { [metricByAction[action]]: 1 },
    dimensions: { rule: rule ?? categories[0]?.category ?? "unknown" },
    fields: { level: "info", message: "guardrail verdict", place, rules, categories },
  });
}

/**
 * Returns the guardrail with the detector that `GUARDRAIL_PROVIDER` selects.
 * @param policy policy of the tenant whose texts are checked
 * @throws Error if `GUARDRAIL_PROVIDER` is unknown
 */
export async function loadGuardrail(policy: GuardrailPolicy = defaultGuardrailPolicy): Promise<Guardrail> {
  const { GUARDRAIL_PROVIDER } = env("GUARDRAIL_PROVIDER");
  const provider = providers[GUARDRAIL_PROVIDER];
  if (!provider) throw new Error(`GUARDRAIL_PROVIDER must be one of ${Object.keys(providers).join(", ")}`);
  const detector = await provider(policy);
  return {
    async check(input) {
      const checked = { ...input, place: placeOf(input) };
      const detection = await detector.detect(checked);
      const verdict = applyPolicy(policy, checked, detection);
      if (verdict.categories.length > 0) reportVerdict(verdict, checked.place, detection);
      return verdict;
    },
  };
}

/**
 * Returns a value whose texts are as the policy lets an answer contain them; null if it blocks one of them.
 * @param redactTexts returns the value with each text replaced by the result of `redact`
 */
export async function redactAsAnswer<Value>(
  policy: GuardrailPolicy,
  redactTexts: (redact: (text: string) => Promise<string>) => Promise<Value>,
): Promise<Value | null> {
  const guardrail = await loadGuardrail(policy);
  let isBlocked = false;
  const redacted = await redactTexts(async (text) => {
    if (text === "") return text;
    const verdict = await guardrail.check({ stage: "output", text });
    isBlocked ||= verdict.action === "block";
    return verdict.text;
  });
  return isBlocked ? null : redacted;
}
