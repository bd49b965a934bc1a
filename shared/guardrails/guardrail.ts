import { env } from "../lib/env.ts";

/** Where in a turn a text is looked at: the user's, what was retrieved for it, the model's. */
export type Stage = "input" | "retrieval" | "output";

/** What a text is suspected of, and how strongly: 0 to 1. */
export interface Finding {
  readonly category: string;
  readonly score: number;
}

/** What a check came to. */
export interface Verdict {
  readonly action: "allow" | "redact" | "block";
  /** Everything that was found, the strongest first, also what is allowed at this stage. */
  readonly categories: Finding[];
  /** The text as it may go on: with its parts replaced when the action is `redact`, empty when it is `block`. */
  readonly text: string;
}

/** A check of texts against abuse of the assistant and leaks through it. */
export interface Guardrail {
  check(input: { readonly stage: Stage; readonly text: string }): Promise<Verdict>;
}

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
