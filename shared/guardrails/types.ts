/** Stage of a turn at which a text is checked: user input, retrieved text or model output. */
export type Stage = "input" | "retrieval" | "output";

/** Category that a check detected, with a score from 0 to 1. */
export interface Finding {
  readonly category: string;
  readonly score: number;
}

/** Result of a check. */
export interface Verdict {
  readonly action: "allow" | "redact" | "block";
  /** All findings, highest score first, including those that are allowed at this stage. */
  readonly categories: Finding[];
  /** Text to continue with: unchanged for `allow`, with replacements for `redact`, empty for `block`. */
  readonly text: string;
}

/** Checks texts for misuse of the assistant and for sensitive data. */
export interface Guardrail {
  check(input: { readonly stage: Stage; readonly text: string }): Promise<Verdict>;
}
