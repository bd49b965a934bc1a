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
