import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { toSuperscript } from "../superscript.ts";
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

/** Marker for the start of a table cell. HTML text cannot contain this character. */
const CELL_MARK = "\0";

/** Yields the visible descendants of an element, in order. */
function* visibleDescendants(root: Element): Generator<Element> {
  const stack: Node[] = root.childNodes.toReversed();
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (!("attrs" in node) || ignoredElements.has(node.nodeName) || isHidden(node)) continue;
    yield node;
    for (const child of node.childNodes.toReversed()) stack.push(child);
  }
}

/**
 * Returns true if a table contains data and not the layout of a page: it has at least two rows and two columns, and no
 * headings or nested tables.
 */
function isDataTable(table: Element): boolean {
  let rows = 0;
  let cellsInRow = 0;
  let hasColumns = false;
  for (const { nodeName } of visibleDescendants(table)) {
    if (nodeName === "table" || getHeadingLevel(nodeName) > 0) return false;
    if (nodeName === "tr") {
      rows++;
      cellsInRow = 0;
    } else if (nodeName === "td" || nodeName === "th") {
      cellsInRow++;
      hasColumns ||= cellsInRow > 1;
    }
  }
  return rows > 1 && hasColumns;
}

/** Returns the text of a text node, with raised numbers as characters. */
const readText = ({ value, parentNode }: DefaultTreeAdapterTypes.TextNode): string =>
  parentNode?.nodeName === "sup" ? toSuperscript(value) : value;

/** Collects the visible text of a page. */
class TextCollector {
  readonly segments: Segment[] = [];
  #text = "";
  #preformatted = 0;
  /** Rows of the current data table; null outside of one. */
  #rows: string[][] | null = null;

  enter(node: Node): void {
    if (this.#rows) this.#enterInTable(node, this.#rows);
    else if (node.nodeName === "table" && "attrs" in node && isDataTable(node)) {
      this.#endSegment("text");
      this.#rows = [];
    } else this.#enter(node);
  }

  leave(node: Node): void {
    if (!this.#rows) this.#leave(node);
    else if (node.nodeName === "td" || node.nodeName === "th") this.#rows.at(-1)?.push(this.#takeText());
    else if (node.nodeName === "caption" || node.nodeName === "table") {
      const caption = this.#takeText();
      if (caption !== "") this.segments.push({ kind: "text", text: caption });
      if (node.nodeName === "caption") return;
      this.segments.push({ kind: "table", rows: this.#rows });
      this.#rows = null;
    } else if (this.#isBlock(node.nodeName)) this.#text += " ";
  }

  /** Collects the text of a table cell. Paragraphs in a cell are joined to one line. */
  #enterInTable(node: Node, rows: string[][]): void {
    if (node.nodeName === "#text" && "value" in node) this.#text += readText(node).replace(/\s+/g, " ");
    else if (node.nodeName === "tr") {
      rows.push([]);
      this.#text = "";
    } else if (node.nodeName === "br" || this.#isBlock(node.nodeName)) this.#text += " ";
  }

  #enter(node: Node): void {
    if (node.nodeName === "#text" && "value" in node) {
      this.#text += this.#preformatted > 0 ? node.value : readText(node).replace(/\s+/g, " ");
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

  #leave(node: Node): void {
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
 * Extracts the visible text of an HTML page, without scripts, styles and hidden elements. The tree is traversed
 * iteratively, so that deep nesting cannot overflow the stack.
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
