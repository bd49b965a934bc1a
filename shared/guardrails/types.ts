import type { GuardrailCategory, GuardrailPlace } from "../api/governance/guardrail-policy.ts";
import type { Span } from "./spans.ts";

/** Stage of a turn at which a text is checked: user input, retrieved text or model output. */
export type Stage = "input" | "retrieval" | "output";

/** Rule name of the injection classifier, which a policy can disable like a rule. */
export const CLASSIFIER_RULE = "worded-like-injection";

/** Rule name of statements of people at risk of self-harm. */
export const SELF_HARM_RULE = "self-harm-statement";

/** Rule name of texts that may be about a risk of self-harm. It is a hint that a model decides about. */
export const POSSIBLE_SELF_HARM_RULE = "possible-self-harm";

/** Category of findings of `POSSIBLE_SELF_HARM_RULE`. The action for `self_harm` applies. */
export const POSSIBLE_SELF_HARM = "self_harm:possible";

/** Rules that only give hints. */
export const hintRules: readonly string[] = [CLASSIFIER_RULE, POSSIBLE_SELF_HARM_RULE];

/**
 * Category of a text that a model considers unsafe without a category of the policy. The model's own category may
 * follow, as in `unsafe:S6`. The strictest action for harmful texts applies.
 */
export const UNSPECIFIED_HARM = "unsafe";

/** Detected category with a score from 0 to 1. */
export interface Finding {
  readonly category: string;
  readonly score: number;
}

/** Finding in a part of an answer. */
export interface PlacedFinding extends Finding {
  readonly place: GuardrailPlace;
}

export interface GuardrailVerdict {
  readonly action: "allow" | "redact" | "block";
  /** All findings, highest score first, including those that are allowed at this place. */
  readonly categories: Finding[];
  /** Names of the rules, and of the formats of sensitive data, that matched; empty for findings of a model. */
  readonly rules: string[];
  /** Kinds of data that were removed from the text; absent if none were. */
  readonly removed?: readonly string[];
  /** Text to continue with: unchanged for `allow`, with replacements for `redact`, empty for `block`. */
  readonly text: string;
}

export interface CheckInput {
  readonly stage: Stage;
  /** Origin of the text; by default the most common one of the stage. */
  readonly place?: GuardrailPlace;
  readonly text: string;
  /** Question to which the text is the answer, as context for detectors that judge answers. */
  readonly question?: string;
}

/** Checks texts for misuse of the assistant and for sensitive data, and applies a policy to the findings. */
export interface Guardrail {
  check(input: CheckInput): Promise<GuardrailVerdict>;
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
  /** Name of the rule that caused the finding; absent for detectors without rules. */
  readonly rule?: string;
  /** Category of the policy, or a category of the provider, such as `topic:taxes`. */
  readonly category: GuardrailCategory | (string & {});
  /** True if the finding is too uncertain to act on. It is only reported; the text is neither redacted nor blocked. */
  readonly isHint?: boolean;
  /** True if the provider is configured to block texts with this finding. */
  readonly isBlocking?: boolean;
}

/** Detects content in a text, upon which a policy acts. */
export interface Detector {
  detect(input: CheckInput & { readonly place: GuardrailPlace }): Promise<Detection>;
}
