import { env } from "../lib/env.ts";
import type { Guardrail } from "./types.ts";

/** Guardrail that allows everything, for deployments that check texts elsewhere. */
const none: Guardrail = { check: async ({ text }) => ({ action: "allow", categories: [], text }) };

/** Guardrails by name. They are imported on demand, so that unused ones do not add to the cold start. */
const providers: Readonly<Record<string, () => Promise<Guardrail>>> = {
  local: async () => (await import("./local/local-guardrail.ts")).localGuardrail,
  bedrock: async () => (await import("./bedrock-guardrail.ts")).bedrockGuardrail(),
  none: async () => none,
};

/**
 * Returns the guardrail that `GUARDRAIL_PROVIDER` names.
 * @throws Error if `GUARDRAIL_PROVIDER` is unknown
 */
export async function loadGuardrail(): Promise<Guardrail> {
  const { GUARDRAIL_PROVIDER } = env("GUARDRAIL_PROVIDER");
  const provider = providers[GUARDRAIL_PROVIDER];
  if (!provider) throw new Error(`GUARDRAIL_PROVIDER must be one of ${Object.keys(providers).join(", ")}`);
  return provider();
}
