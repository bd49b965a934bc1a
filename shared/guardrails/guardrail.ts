import { env } from "../lib/env.ts";
import type { Guardrail } from "./types.ts";

/** Checks nothing: for deployments whose models are guarded elsewhere. */
const none: Guardrail = { check: async ({ text }) => ({ action: "allow", categories: [], text }) };

/** Loaded when configured: what a deployment does not use costs it no start-up time. */
const providers: Readonly<Record<string, () => Promise<Guardrail>>> = {
  local: async () => (await import("./local/local-guardrail.ts")).localGuardrail,
  bedrock: async () => (await import("./bedrock-guardrail.ts")).bedrockGuardrail(),
  none: async () => none,
};

/**
 * The guardrail that `GUARDRAIL_PROVIDER` names.
 * @throws Error for one that does not exist
 */
export async function loadGuardrail(): Promise<Guardrail> {
  const { GUARDRAIL_PROVIDER } = env("GUARDRAIL_PROVIDER");
  const provider = providers[GUARDRAIL_PROVIDER];
  if (!provider) throw new Error(`GUARDRAIL_PROVIDER must be one of ${Object.keys(providers).join(", ")}`);
  return provider();
}
