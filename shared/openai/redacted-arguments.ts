import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { StreamingRedactor } from "../guardrails/streaming-redactor.ts";

/** Mark of a redaction outside of a JSON string; JSON has no bare words other than the three literals. */
const bareMark = /^\[(?!(?:true|false|null)\])[a-z][\w -]*\]/i;

/**
 * JSON arguments of one tool call, redacted while they stream. A redacted number becomes a string, so that the arguments
 * stay valid JSON.
 */
export class RedactedArguments {
  readonly #redactor: StreamingRedactor;
  #isInString = false;
  #isEscaped = false;
  /** Arguments emitted so far. */
  text = "";

  constructor(policy: GuardrailPolicy) {
    this.#redactor = new StreamingRedactor(policy);
  }

  /** Adds a delta and returns the arguments to emit. */
  push(delta: string): string {
    return this.#emit(this.#redactor.push(delta));
  }

  /** Ends the arguments and returns the rest to emit. */
  end(): string {
    return this.#emit(this.#redactor.end());
  }

  #emit(redacted: string): string {
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
    this.text += emitted;
    return emitted;
  }
}
