import { defaultGuardrailPolicy, type GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { env } from "../lib/env.ts";
import { applyPolicy, placeOf } from "./apply-policy.ts";
import type { Detector, Guardrail } from "./types.ts";

/** Detector without findings, for deployments that check texts elsewhere. */
const none: Detector = { detect: async () => ({ findings: [], spans: [] }) };

const local = async (policy: GuardrailPolicy) => (await import("./local/local-detector.ts")).localDetector(policy);

const withModel = (kind: "moderation" | "judge") => async (policy: GuardrailPolicy) =>
  (await import("./model-detectors.ts")).modelDetector(kind, await local(policy));

/** Detectors by name. They are imported on demand, so that unused ones do not add to the cold start. */
const providers: Readonly<Record<string, (policy: GuardrailPolicy) => Promise<Detector>>> = {
  local,
  bedrock: async () => (await import("./bedrock-detector.ts")).bedrockDetector(),
  moderation: withModel("moderation"),
  judge: withModel("judge"),
  none: async () => none,
};

/**
 * Returns the guardrail with the detector that `GUARDRAIL_PROVIDER` names.
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
      return applyPolicy(policy, checked, await detector.detect(checked));
    },
  };
}
