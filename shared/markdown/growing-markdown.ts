import type { RootContent } from "mdast";
import { parseMarkdown } from "./parse-markdown.ts";

/** Returns true if a line of a text starts a formula and does not end it. */
const opensFormula = (text: string): boolean =>
  text.split("\n").some((line) => {
    const start = line.trimStart();
    return start.startsWith("$$") ? !start.includes("$$", 2) : start.startsWith("\\[") && !start.includes("\\]");
  });

/**
 * Parser of a text that grows at its end, such as an answer while it is written. Only its last block is parsed again: what
 * follows cannot change the blocks before it, except by definitions, which the caller passes.
 */
export class GrowingMarkdown {
  #source = "";
  #definitions = "";
  #settled: readonly RootContent[] = [];
  /** Length of the text whose blocks are settled. */
  #length = 0;

  /**
   * Returns the blocks of a text. Those that have not changed are the same objects as before.
   * @param definitions Markdown of links and footnotes that the text can refer to
   */
  parse(source: string, definitions = ""): readonly RootContent[] {
    if (definitions !== this.#definitions || !source.startsWith(this.#source)) {
      this.#settled = [];
      this.#length = 0;
    }
    this.#source = source;
    this.#definitions = definitions;
    // The definitions come first, because an open code block would swallow them.
    const prefix = definitions && `${definitions}\n\n`;
    const text = prefix + source.slice(this.#length);
    const { children } = parseMarkdown(text);
    const startOf = ({ position }: RootContent) => {
      const { offset = 0, column } = position?.start ?? { column: 1 };
      return offset - (column - 1) - prefix.length;
    };
    // A line can look like a definition and be text, which its own block shows.
    const blocks = children.filter((block) => startOf(block) >= 0);
    // A line that is not complete can become another block: `*` is a list, `**a**` is not.
    const completeLength = source.lastIndexOf("\n") - this.#length;
    const last = blocks.findLastIndex((block) => startOf(block) < completeLength);
    // A formula is text until its end, which can follow after further blocks.
    const opened = blocks.findIndex(
      ({ type, position }) =>
        type === "paragraph" && opensFormula(text.slice(position?.start.offset, position?.end.offset)),
    );
    const shown = [...this.#settled, ...blocks];
    const next = blocks[opened < 0 ? last : Math.min(last, opened)];
    if (next) {
      this.#settled = shown.slice(0, shown.indexOf(next));
      this.#length += startOf(next);
    }
    return shown;
  }
}
