import type { EmbedBlock } from "../../../shared/api/embed/embed-message.ts";
import { h, icon } from "./dom.ts";
import { icons } from "./icons.ts";
import { inline, link } from "./inline.ts";
import { type MarkdownBlock, parseMarkdown } from "./markdown.ts";
import type { Texts } from "./texts.ts";

/** Element to render, with a key. An element is reused as long as its key stays the same. */
export interface ContentElement {
  readonly key: string;
  render(): HTMLElement;
}

/** Returns one element per top-level block of a Markdown text. */
export function markdownElements(text: string, texts: Texts): ContentElement[] {
  return parseMarkdown(text).map((block) => ({ key: block.source, render: () => markdownElement(block, texts) }));
}

function markdownElement(block: MarkdownBlock, texts: Texts): HTMLElement {
  const toElementList = (blocks: readonly MarkdownBlock[]) => blocks.map((block) => markdownElement(block, texts));
  switch (block.type) {
    case "paragraph":
      return h("p", {}, ...inline(block.text));
    case "heading":
      // Heading levels start below the widget's own heading.
      return h(block.level < 3 ? "h3" : "h4", {}, ...inline(block.text));
    case "code":
      return codeElement(block.language, block.code, texts);
    case "quote":
      return h("blockquote", {}, ...toElementList(block.blocks));
    case "list": {
      const items = block.items.map((item) => h("li", {}, ...tightItemContent(item, toElementList(item))));
      if (block.start === null) return h("ul", {}, ...items);
      return h("ol", { start: String(block.start) }, ...items);
    }
    case "table":
      return tableElement(block.columns, block.rows);
    case "rule":
      return h("hr");
  }
}

/** Returns the content of a list item without the paragraph element around its first text, as in a tight list. */
function tightItemContent(item: readonly MarkdownBlock[], elements: readonly HTMLElement[]): (Node | string)[] {
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
      // The clipboard is not available on pages without TLS or if the browser denies access.
      return;
    }
    copy.replaceChildren(icon(icons.check));
    copy.setAttribute("aria-label", texts.copied);
  });
  return h(
    "div",
    { class: "code", dir: "ltr" },
    h("div", { class: "code-head" }, h("span", {}, language), copy),
    // Focusable, so that long lines can be scrolled with the keyboard.
    h("pre", { tabindex: "0", role: "group", "aria-label": language || "code" }, h("code", {}, code)),
  );
}

function tableElement(columns: readonly string[], rows: readonly (readonly string[])[]): HTMLElement {
  const head = h("tr", {}, ...columns.map((cell) => h("th", { scope: "col" }, ...inline(cell))));
  const body = rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, ...inline(cell)))));
  const table = h("table", {}, h("thead", {}, head), h("tbody", {}, ...body));
  return h("div", { class: "table", tabindex: "0", role: "group", "aria-label": columns.join(", ") }, table);
}

/** Returns the elements of a reply's blocks. Citations are collected in a list of sources at the end. */
export function blockElements(blocks: readonly EmbedBlock[], texts: Texts): ContentElement[] {
  const citations = blocks.filter((block) => block.type === "citation");
  const elements = blocks.flatMap((block) => toElements(block, texts));
  if (citations.length === 0) return elements;
  return [...elements, { key: `sources ${JSON.stringify(citations)}`, render: () => sourcesElement(citations, texts) }];
}

function toElements(block: EmbedBlock, texts: Texts): ContentElement[] {
  const element = (render: () => HTMLElement): ContentElement[] => [{ key: JSON.stringify(block), render }];
  switch (block.type) {
    case "text":
      return markdownElements(block.text, texts);
    case "code":
      return element(() => codeElement(block.language ?? "", block.code, texts));
    case "table":
      return element(() => tableElement(block.columns, block.rows));
    case "list":
      return element(() =>
        h(
          block.ordered ? "ol" : "ul",
          {},
          ...block.items.map((item) => {
            const parsed = parseMarkdown(item, 1);
            return h(
              "li",
              {},
              ...tightItemContent(
                parsed,
                parsed.map((block) => markdownElement(block, texts)),
              ),
            );
          }),
        ),
      );
    case "image":
      return element(() => h("p", {}, link(block.url, [block.alt || block.url])));
    case "vega":
      return element(() => codeElement(texts.chart, JSON.stringify(block.spec, null, 2), texts));
    case "citation":
      return [];
  }
}

type Citation = Extract<EmbedBlock, { type: "citation" }>;

/** Groups citations by their source, so that each source is listed once with all of its quotes. */
function groupBySource(citations: readonly Citation[]): Citation[][] {
  return [...Map.groupBy(citations, ({ title, uri }) => JSON.stringify([title, uri])).values()];
}

function sourceElement(citations: readonly Citation[], texts: Texts): HTMLElement {
  const [{ title, uri }] = citations as [Citation];
  const numbers = citations.map(({ index }) => `[${index}]`).join(" ");
  const render = (quote: string) => markdownElements(quote, texts).map((element) => element.render());
  const quotes = citations
    .flatMap(({ quote, quotes = [quote] }) => quotes)
    .flatMap((quote) => (quote ? [h("blockquote", { dir: "auto" }, ...render(quote))] : []));
  return h(
    "li",
    {},
    h(
      "details",
      {},
      h("summary", {}, `${numbers} ${title}`),
      ...quotes,
      ...(uri ? [link(uri, [texts.openSource])] : []),
    ),
  );
}

function sourcesElement(citations: readonly Citation[], texts: Texts): HTMLElement {
  return h(
    "div",
    { class: "sources", role: "group", "aria-label": texts.sources },
    h("h4", {}, texts.sources),
    h("ul", {}, ...groupBySource(citations).map((group) => sourceElement(group, texts))),
  );
}
