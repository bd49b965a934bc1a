import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { type AnswerProtection, StreamingRedactor } from "../guardrails/streaming-redactor.ts";

/** Entry of `logprobs.content`. */
interface TokenLogprob {
  readonly token?: string;
}

/**
 * Text of one message field, redacted while it streams. Log probabilities contain the tokens of the text before
 * redaction, so they are held back with their text and dropped if it was redacted.
 */
export class RedactedText {
  #redactor: StreamingRedactor;
  #earlierFindings: StreamingRedactor["findings"] = [];
  readonly #isStreamed: boolean;
  #heldText = "";
  #heldLogprobs: TokenLogprob[] = [];
  /** Text emitted so far. */
  text = "";

  /** @param isStreamed false if only `end` returns the text, which takes less CPU time */
  constructor(policy: GuardrailPolicy, isStreamed = true, protection?: AnswerProtection) {
    this.#isStreamed = isStreamed;
    this.#redactor = new StreamingRedactor(policy, protection);
  }

  /** Findings that were redacted so far. */
  get findings() {
    return [...this.#earlierFindings, ...this.#redactor.findings];
  }

  /** True while the end of the text is held back, because it may be the start of sensitive data. */
  get isHolding(): boolean {
    return this.#heldText !== "";
  }

  /** True if the text revealed the instructions, after which the rest of it is not sent. */
  get isWithheld(): boolean {
    return this.#redactor.isWithheld;
  }

  /** Adds a delta and returns the text that can be sent, with its log probabilities; the end may be held back. */
  push(delta: string, logprobs: readonly TokenLogprob[] = []): { text: string; logprobs: TokenLogprob[] } {
    this.#heldText += delta;
    this.#heldLogprobs.push(...logprobs);
    return this.#release(this.#isStreamed ? this.#redactor.push(delta) : this.#redactor.hold(delta));
  }

  /** Ends the text and returns the rest that was held back. */
  end(): { text: string; logprobs: TokenLogprob[] } {
    return this.#release(this.#redactor.end());
  }

  /**
   * Returns the rest that was held back, and redacts all further text with another policy and protection. A text that
   * revealed the instructions stays withheld.
   */
  restart(policy: GuardrailPolicy, protection: AnswerProtection | undefined) {
    const rest = this.end();
    if (this.isWithheld) return rest;
    this.#earlierFindings = this.findings;
    this.#redactor = new StreamingRedactor(policy, protection);
    return rest;
  }

  #release(text: string): { text: string; logprobs: TokenLogprob[] } {
    this.text += text;
    if (!this.#heldText.startsWith(text)) {
      // The tokens of the log probabilities contain the text before redaction, so they are dropped.
      this.#heldText = "";
      this.#heldLogprobs = [];
      return { text, logprobs: [] };
    }
    this.#heldText = this.#heldText.slice(text.length);
    if (this.#heldLogprobs.length === 0) return { text, logprobs: [] };
    let length = 0;
    const end = this.#heldLogprobs.findIndex(({ token = "" }) => {
      length += token.length;
      return length > text.length;
    });
    return { text, logprobs: this.#heldLogprobs.splice(0, end < 0 ? this.#heldLogprobs.length : end) };
  }
}

/** Returns the log probability of each token of a choice; empty if there are none. */
export function tokensOf(logprobs: unknown): TokenLogprob[] {
  const content = (logprobs as { content?: unknown } | null | undefined)?.content;
  return Array.isArray(content) ? content : [];
}
