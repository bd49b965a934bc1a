import { type DefaultTreeAdapterTypes, parse } from "parse5";
import type { Piece } from "./segments.ts";

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** Elements whose content is not for readers. */
const unread: ReadonlySet<string> = new Set([
  ..."script style template noscript head iframe object svg math canvas audio video select textarea".split(" "),
]);

/** Elements that begin and end a paragraph. */
const blocks: ReadonlySet<string> = new Set([
  ..."address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer".split(
    " ",
  ),
  ..."form header hr html legend li main nav ol p pre section summary table tbody tfoot thead tr ul".split(" "),
]);

const headingLevel = (name: string) => Number(/^h([1-6])$/.exec(name)?.[1] ?? 0);

function isHidden({ attrs }: Element): boolean {
  return attrs.some(
    ({ name, value }) =>
      name === "hidden" || (name === "style" && /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(value)),
  );
}

/** Stands where a cell of a table begins; no text of a page can hold it. */
const cellMark = "\0";

/** Collects what a reader of the page would see. */
class Reader {
  readonly pieces: Piece[] = [];
  #text = "";
  #preformatted = 0;

  enter(node: Node): void {
    if (node.nodeName === "#text" && "value" in node) {
      this.#text += this.#preformatted > 0 ? node.value : node.value.replace(/\s+/g, " ");
    } else if (node.nodeName === "br") {
      this.#text += "\n";
    } else if (node.nodeName === "td" || node.nodeName === "th") {
      this.#text += cellMark;
    } else if (this.#isBlock(node.nodeName)) {
      this.#end("text");
      if (node.nodeName === "li") this.#text = "- ";
      if (node.nodeName === "pre") this.#preformatted++;
    }
  }

  leave(node: Node): void {
    const level = headingLevel(node.nodeName);
    if (level > 0) {
      const title = this.#take().replace(/\s+/g, " ");
      if (title) this.pieces.push({ kind: "heading", level, title, text: title });
    } else if (node.nodeName === "pre") {
      this.#end("code");
      this.#preformatted--;
    } else if (this.#isBlock(node.nodeName)) {
      this.#end("text");
    }
  }

  #isBlock(name: string): boolean {
    return blocks.has(name) || headingLevel(name) > 0;
  }

  #take(): string {
    const cells = this.#text.split(cellMark).map((cell) => cell.trimEnd());
    const said = cells.slice(cells.findIndex((cell) => cell !== "")).join(" | ");
    const text = this.#preformatted > 0 ? said : said.replace(/[^\S\n]+/g, " ").replace(/ ?\n ?/g, "\n");
    this.#text = "";
    return text.trim();
  }

  #end(kind: "text" | "code"): void {
    const text = this.#take();
    if (text !== "" && text !== "-") this.pieces.push({ kind, text });
  }
}

/**
 * What a reader of an HTML page sees, entities resolved: without scripts, styles and hidden elements. Pages may nest
 * as deep as they like.
 */
export function htmlPieces(html: string): Piece[] {
  const reader = new Reader();
  const waiting: { node: Node; left: boolean }[] = [{ node: parse(html), left: false }];
  for (let step = waiting.pop(); step; step = waiting.pop()) {
    const { node, left } = step;
    if (left) {
      reader.leave(node);
      continue;
    }
    if (unread.has(node.nodeName) || ("attrs" in node && isHidden(node))) continue;
    reader.enter(node);
    waiting.push({ node, left: true });
    if ("childNodes" in node) {
      for (const child of node.childNodes.toReversed()) waiting.push({ node: child, left: false });
    }
  }
  return reader.pieces;
}
