import type { StreamingRedactor } from "../../guardrails/streaming-redactor.ts";

/** Number of characters after which an incomplete paragraph of reasoning is emitted as a step. */
const MAX_STEP_CHARACTERS = 400;

/** Redacts a model's reasoning and splits it into steps: paragraphs, or parts of long ones. */
export class ReasoningSplitter {
  readonly #redactor: StreamingRedactor;
  #text = "";

  constructor(redactor: StreamingRedactor) {
    this.#redactor = redactor;
  }

  /** Adds a delta and returns the steps that are now complete. */
  push(delta: string): string[] {
    this.#text += this.#redactor.push(delta);
    const paragraphs = this.#text.split(/\n{2,}/);
    this.#text = paragraphs.pop() ?? "";
    const steps = paragraphs.filter(Boolean);
    return this.#text.length > MAX_STEP_CHARACTERS ? [...steps, ...this.#take()] : steps;
  }

  /** Returns the rest of the text as a last step, or no step if it is empty. */
  flush(): string[] {
    this.#text += this.#redactor.end();
    return this.#take();
  }

  #take(): string[] {
    const rest = this.#text.trim();
    this.#text = "";
    return rest ? [rest] : [];
  }
}
