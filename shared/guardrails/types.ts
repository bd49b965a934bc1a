import type { GuardrailCategory, GuardrailPlace } from "../api/governance/guardrail-policy.ts";
import type { Span } from "./spans.ts";

/** Stage of a turn at which a text is checked: user input, retrieved text or model output. */
export type Stage = "input" | "retrieval" | "output";

/** Name of the classifier of injections, which a policy can switch off like a rule. */
export const CLASSIFIER_RULE = "worded-like-injection";

/**
 * Category of a text that a model considers unsafe without naming a category of the policy, alone or before the model's own
 * category as in `unsafe:S6`. The most severe action for a harmful text applies.
 */
export const UNSPECIFIED_HARM = "unsafe";

/** Category that a check detected, with a score from 0 to 1. */
export interface Finding {
  readonly category: string;
  readonly score: number;
}

export interface Verdict {
  readonly action: "allow" | "redact" | "block";
  /** All findings, highest score first, including those that are allowed at this place. */
  readonly categories: Finding[];
  /** Names of the rules and formats that found something; empty for findings of a model. */
  readonly rules: string[];
  /** Kinds of data that were removed from the text; only if some were. */
  readonly removed?: readonly string[];
  /** Text to continue with: unchanged for `allow`, with replacements for `redact`, empty for `block`. */
  readonly text: string;
}

export interface CheckInput {
  readonly stage: Stage;
  /** Origin of the text; the default depends on the stage. */
  readonly place?: GuardrailPlace;
  readonly text: string;
  /** Question that the text answers, as context for detectors that judge answers. */
  readonly question?: string;
}

/** Checks texts for misuse of the assistant and for sensitive data, and applies a policy to what it finds. */
export interface Guardrail {
  check(input: CheckInput): Promise<Verdict>;
}

/** Findings of a detector in a text, before a policy is applied. */
export interface Detection {
  /** Findings without a position in the text, such as the findings of a language model. */
  readonly findings: readonly DetectedFinding[];
  /** Parts of the text that can be redacted. */
  readonly spans: readonly Span[];
  /** Text with the replacements of a provider that redacts by its own configuration. */
  readonly redactedText?: string;
}

export interface DetectedFinding extends Finding {
  /** Name of the rule that found it, for detectors with rules. */
  readonly rule?: string;
  /** Category of the policy, or a category of the provider, such as `topic:taxes`. */
  readonly category: GuardrailCategory | (string & {});
  /** True if the finding is too uncertain to act on: it is reported and never redacted or blocked. */
  readonly isHint?: boolean;
  /** True if the provider is configured to block texts with this finding. */
  readonly isBlocking?: boolean;
}

/** Finds content in a text, for a policy to act on. */
export interface Detector {
  detect(input: CheckInput & { readonly place: GuardrailPlace }): Promise<Detection>;
}
