/** Pairs of tags between which models without a field for reasoning send it, in front of the answer. */
const tags: readonly (readonly [string, string])[] = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  ["<reasoning>", "</reasoning>"],
  ["<seed:think>", "</seed:think>"],
  ["[THINK]", "[/THINK]"],
  ["◁think▷", "◁/think▷"],
];

/** Returns the length of the longest end of the text that is a beginning of the tag, without being the whole tag. */
function heldLength(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (tag.startsWith(text.slice(-length))) return length;
  }
  return 0;
}

/** Text of a delta, divided into answer and reasoning. */
interface SplitText {
  readonly text: string;
  readonly reasoning: string;
}

/**
 * Divides a streamed answer that begins with reasoning between tags. A tag that stands anywhere else is text. Holds back
 * what might become a tag.
 */
export class ThinkingSplitter {
  #state: "start" | "reasoning" | "answer-start" | "answer" = "start";
  #closingTag = "";
  #held = "";

  /**
   * Divides the next delta.
   * @param isLast whether no text follows, so that nothing is held back; reasoning without a closing tag stays reasoning
   */
  push(delta: string, isLast: boolean): SplitText {
    this.#held += delta;
    if (this.#state === "start") this.#readStart();
    const reasoning = this.#state === "reasoning" ? this.#readReasoning(isLast) : "";
    if (this.#state === "start" && isLast) this.#state = "answer";
    return { text: this.#readAnswer(), reasoning };
  }

  /** Stops dividing, because the model sends its reasoning in a field of its own or not at all. */
  disable(): void {
    if (this.#state === "start") this.#state = "answer";
  }

  #readStart(): void {
    const start = this.#held.trimStart();
    const pair = tags.find(([opening]) => start.startsWith(opening));
    if (pair) {
      this.#closingTag = pair[1];
      this.#held = start.slice(pair[0].length);
      this.#state = "reasoning";
    } else if (!tags.some(([opening]) => opening.startsWith(start))) {
      this.#state = "answer";
    }
  }

  #readReasoning(isLast: boolean): string {
    const end = this.#held.indexOf(this.#closingTag);
    const heldBack = isLast ? 0 : heldLength(this.#held, this.#closingTag);
    const length = end < 0 ? this.#held.length - heldBack : end;
    const reasoning = this.#held.slice(0, length);
    this.#held = this.#held.slice(end < 0 ? length : end + this.#closingTag.length);
    if (end >= 0) this.#state = "answer-start";
    return reasoning;
  }

  /** Returns the answer's text. Blank lines between reasoning and answer are dropped. */
  #readAnswer(): string {
    if (this.#state === "answer-start") {
      this.#held = this.#held.trimStart();
      if (this.#held !== "") this.#state = "answer";
    }
    if (this.#state !== "answer") return "";
    const text = this.#held;
    this.#held = "";
    return text;
  }
}
