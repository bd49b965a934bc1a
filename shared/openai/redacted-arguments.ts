import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { StreamingRedactor } from "../guardrails/streaming-redactor.ts";

/**
 * Matches a redaction mark, such as `[phone]`, outside of a JSON string. JSON itself has no unquoted words other than
 * `true`, `false` and `null`.
 */
const bareMark = /^\[(?!(?:true|false|null)\])[a-z][\w -]*\]/i;

function isObjectJson(text: string): boolean {
  if (!text.trimEnd().endsWith("}")) return false;
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

/**
 * Arguments of one tool call, or the input text of a custom tool, redacted while they stream. In JSON, a redacted
 * number becomes a string, so that the arguments stay valid JSON.
 */
export class RedactedArguments {
  readonly #redactor: StreamingRedactor;
  readonly #isJson: boolean;
  #isInString = false;
  #isEscaped = false;
  #received = "";
  #isEnded = false;
  /** Arguments emitted so far. */
  text = "";

  constructor(policy: GuardrailPolicy, { isJson = true } = {}) {
    this.#isJson = isJson;
    this.#redactor = new StreamingRedactor(policy, undefined, "tool_call");
  }

  /** Findings that were redacted so far. */
  get findings() {
    return this.#redactor.findings;
  }

  /** Adds a delta and returns the arguments that can be sent; the end may be held back. */
  push(delta: string): string {
    if (this.#isEnded) return "";
    if (this.#isJson) this.#received += delta;
    return this.#emit(this.#redactor.push(delta));
  }

  /** Ends the arguments and returns the rest that was held back. */
  end(): string {
    if (this.#isEnded) return "";
    this.#isEnded = true;
    return this.#emit(this.#redactor.end());
  }

  /**
   * Ends the arguments if they form a complete JSON object, and returns the rest that was held back. Otherwise returns
   * an empty text and changes nothing.
   */
  endIfComplete(): string {
    return !this.#isEnded && this.#isJson && isObjectJson(this.#received) ? this.end() : "";
  }

  #emit(redacted: string): string {
    const emitted = this.#isJson ? this.#quoteMarks(redacted) : redacted;
    this.text += emitted;
    return emitted;
  }

  #quoteMarks(redacted: string): string {
    let emitted = "";
    for (let index = 0; index < redacted.length; ) {
      const mark = this.#isInString ? null : bareMark.exec(redacted.slice(index, index + 60));
      const part = mark ? JSON.stringify(mark[0]) : (redacted[index] as string);
      emitted += part;
      index += mark?.[0].length ?? 1;
      if (mark) continue;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (part === "\\" && this.#isInString) this.#isEscaped = true;
      else if (part === '"') this.#isInString = !this.#isInString;
    }
    return emitted;
  }
}
