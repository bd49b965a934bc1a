/** Matches the fence that opens a code block, also in lists and quotes (CommonMark, "Fenced code blocks"). */
const opening = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(?:(`{3,})[^`]*$|(~{3,}))/;

/** Matches a line that can close a code block. */
const closing = /^[\s>]*(`{3,}|~{3,})\s*$/;

/** Maximum length of a fence with its information string. A longer line opens and closes no code block. */
const MAX_FENCE_CHARACTERS = 200;

/** Recognizes the fenced code blocks of a Markdown text that arrives in parts. */
export class CodeFences {
  #line = "";
  #fence = "";

  /** True if the text that follows is in a code block. */
  get isOpen(): boolean {
    return this.#fence !== "";
  }

  /** Line that closes the code block of the text that follows; empty outside of a code block. */
  get closingLine(): string {
    return this.#fence;
  }

  push(text: string): void {
    const lines = text.split("\n");
    for (const [index, part] of lines.entries()) {
      if (this.#line.length <= MAX_FENCE_CHARACTERS) this.#line += part;
      if (index < lines.length - 1) this.#endLine();
    }
  }

  #endLine(): void {
    const line = this.#line.length <= MAX_FENCE_CHARACTERS ? this.#line : "";
    this.#line = "";
    if (this.#fence === "") {
      const [, backticks, tildes] = opening.exec(line) ?? [];
      this.#fence = backticks ?? tildes ?? "";
      return;
    }
    const fence = closing.exec(line)?.[1] ?? "";
    if (fence.startsWith(this.#fence)) this.#fence = "";
  }
}

/** Returns a Markdown text with the end of the code block in which it is cut off, so that text can follow. */
export function closeCodeBlock(markdown: string): string {
  const fences = new CodeFences();
  fences.push(`${markdown}\n`);
  return fences.isOpen ? `${markdown}${markdown.endsWith("\n") ? "" : "\n"}${fences.closingLine}` : markdown;
}
