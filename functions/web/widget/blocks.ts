import type { EmbedBlock } from "../../../shared/api/embed/embed.ts";
import { h, icon } from "./dom.ts";
import { icons } from "./icons.ts";
import { inline, link } from "./inline.ts";
import { type Block, parseMarkdown } from "./markdown.ts";
import type { Texts } from "./texts.ts";

/** Something to show, and what it is known by: as long as that stays, so does the element. */
export interface Piece {
  readonly key: string;
  render(): HTMLElement;
}

/** A text of Markdown, piece by piece. */
export function markdownPieces(text: string, texts: Texts): Piece[] {
  return parseMarkdown(text).map((block) => ({ key: block.source, render: () => markdownElement(block, texts) }));
}

function markdownElement(block: Block, texts: Texts): HTMLElement {
  const all = (blocks: readonly Block[]) => blocks.map((each) => markdownElement(each, texts));
  switch (block.type) {
    case "paragraph":
      return h("p", {}, ...inline(block.text));
    case "heading":
      // The page has headings of its own: these stand below the widget's.
      return h(block.level < 3 ? "h3" : "h4", {}, ...inline(block.text));
    case "code":
      return codeElement(block.language, block.code, texts);
    case "quote":
      return h("blockquote", {}, ...all(block.blocks));
    case "list": {
      const items = block.items.map((item) => h("li", {}, ...tight(item, all(item))));
      if (block.start === null) return h("ul", {}, ...items);
      return h("ol", { start: String(block.start) }, ...items);
    }
    case "table":
      return tableElement(block.columns, block.rows);
    case "rule":
      return h("hr");
  }
}

/** A list item that is one paragraph is shown without the space around paragraphs. */
function tight(item: readonly Block[], elements: readonly HTMLElement[]): (Node | string)[] {
  const [first] = item;
  return first?.type === "paragraph" ? [...inline(first.text), ...elements.slice(1)] : [...elements];
}

function codeElement(language: string, code: string, texts: Texts): HTMLElement {
  const copy = h(
    "button",
    { type: "button", class: "copy", "aria-label": texts.copy, title: texts.copy },
    icon(icons.copy),
  );
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code);
    } catch {
      // There is no clipboard on a page without TLS, and a browser may refuse it: nothing was copied.
      return;
    }
    copy.replaceChildren(icon(icons.check));
    copy.setAttribute("aria-label", texts.copied);
  });
  return h(
    "div",
    { class: "code", dir: "ltr" },
    h("div", { class: "code-head" }, h("span", {}, language), copy),
    // Long lines scroll, which has to work without a mouse.
    h("pre", { tabindex: "0", role: "region", "aria-label": language || "code" }, h("code", {}, code)),
  );
}

function tableElement(columns: readonly string[], rows: readonly (readonly string[])[]): HTMLElement {
  const head = h("tr", {}, ...columns.map((cell) => h("th", { scope: "col" }, ...inline(cell))));
  const body = rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, ...inline(cell)))));
  const table = h("table", {}, h("thead", {}, head), h("tbody", {}, ...body));
  return h("div", { class: "table", tabindex: "0", role: "region", "aria-label": columns.join(", ") }, table);
}

/** An answer's blocks, piece by piece; its sources stand together at the end. */
export function blockPieces(blocks: readonly EmbedBlock[], texts: Texts): Piece[] {
  const citations = blocks.filter((block) => block.type === "citation");
  const pieces = blocks.flatMap((block) => piecesOf(block, texts));
  if (citations.length === 0) return pieces;
  return [...pieces, { key: `sources ${JSON.stringify(citations)}`, render: () => sources(citations, texts) }];
}

function piecesOf(block: EmbedBlock, texts: Texts): Piece[] {
  const piece = (render: () => HTMLElement): Piece[] => [{ key: JSON.stringify(block), render }];
  switch (block.type) {
    case "text":
      return markdownPieces(block.text, texts);
    case "code":
      return piece(() => codeElement(block.language ?? "", block.code, texts));
    case "table":
      return piece(() => tableElement(block.columns, block.rows));
    case "list":
      return piece(() =>
        h(
          block.ordered ? "ol" : "ul",
          {},
          ...block.items.map((item) => {
            const parsed = parseMarkdown(item, 1);
            return h(
              "li",
              {},
              ...tight(
                parsed,
                parsed.map((each) => markdownElement(each, texts)),
              ),
            );
          }),
        ),
      );
    case "image":
      return piece(() => h("p", {}, link(block.url, [block.alt || block.url])));
    case "vega":
      return piece(() => codeElement(texts.chart, JSON.stringify(block.spec, null, 2), texts));
    case "citation":
      return [];
  }
}

type Citation = Extract<EmbedBlock, { type: "citation" }>;

function sources(citations: readonly Citation[], texts: Texts): HTMLElement {
  const entries = citations.map(({ index, title, uri }) =>
    h("li", { value: String(index) }, uri ? link(uri, [title]) : title),
  );
  return h(
    "section",
    { class: "sources", "aria-label": texts.sources },
    h("h4", {}, texts.sources),
    h("ol", {}, ...entries),
  );
}
