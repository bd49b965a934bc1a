import { type DefaultTreeAdapterTypes, parse } from "parse5";
import type { Segment } from "./segments.ts";

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** Elements whose content is not visible text. */
const ignoredElements: ReadonlySet<string> = new Set([
  ..."script style template noscript head iframe object svg math canvas audio video select textarea".split(" "),
]);

/** Elements that start and end a paragraph. */
const blockElements: ReadonlySet<string> = new Set([
  ..."address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer".split(
    " ",
  ),
  ..."form header hr html legend li main nav ol p pre section summary table tbody tfoot thead tr ul".split(" "),
]);

const getHeadingLevel = (name: string) => Number(/^h([1-6])$/.exec(name)?.[1] ?? 0);

function isHidden({ attrs }: Element): boolean {
  return attrs.some(
    ({ name, value }) =>
      name === "hidden" || (name === "style" && /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(value)),
  );
}

/** Marks the start of a table cell; HTML text cannot contain this character. */
const CELL_MARK = "\0";

/** Collects the visible text of a page. */
class TextCollector {
  readonly segments: Segment[] = [];
  #text = "";
  #preformatted = 0;

  enter(node: Node): void {
    if (node.nodeName === "#text" && "value" in node) {
      this.#text += this.#preformatted > 0 ? node.value : node.value.replace(/\s+/g, " ");
    } else if (node.nodeName === "br") {
      this.#text += "\n";
    } else if (node.nodeName === "td" || node.nodeName === "th") {
      this.#text += CELL_MARK;
    } else if (this.#isBlock(node.nodeName)) {
      this.#endSegment("text");
      if (node.nodeName === "li") this.#text = "- ";
      if (node.nodeName === "pre") this.#preformatted++;
    }
  }

  leave(node: Node): void {
    const level = getHeadingLevel(node.nodeName);
    if (level > 0) {
      const title = this.#takeText().replace(/\s+/g, " ");
      if (title) this.segments.push({ kind: "heading", level, title, text: title });
    } else if (node.nodeName === "pre") {
      this.#endSegment("code");
      this.#preformatted--;
    } else if (this.#isBlock(node.nodeName)) {
      this.#endSegment("text");
    }
  }

  #isBlock(name: string): boolean {
    return blockElements.has(name) || getHeadingLevel(name) > 0;
  }

  #takeText(): string {
    const cells = this.#text.split(CELL_MARK).map((cell) => cell.trimEnd());
    const row = cells.slice(cells.findIndex((cell) => cell !== "")).join(" | ");
    const text = this.#preformatted > 0 ? row : row.replace(/[^\S\n]+/g, " ").replace(/ ?\n ?/g, "\n");
    this.#text = "";
    return text.trim();
  }

  #endSegment(kind: "text" | "code"): void {
    const text = this.#takeText();
    if (text !== "" && text !== "-") this.segments.push({ kind, text });
  }
}

/**
 * Extracts the visible text of an HTML page, without scripts, styles and hidden elements. Traverses the tree iteratively, so
 * that deep nesting does not overflow the stack.
 */
export function toHtmlSegments(html: string): Segment[] {
  const collector = new TextCollector();
  const stack: { node: Node; isVisited: boolean }[] = [{ node: parse(html), isVisited: false }];
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    const { node, isVisited } = entry;
    if (isVisited) {
      collector.leave(node);
      continue;
    }
    if (ignoredElements.has(node.nodeName) || ("attrs" in node && isHidden(node))) continue;
    collector.enter(node);
    stack.push({ node, isVisited: true });
    if ("childNodes" in node) {
      for (const child of node.childNodes.toReversed()) stack.push({ node: child, isVisited: false });
    }
  }
  return collector.segments;
}
