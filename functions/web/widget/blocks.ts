import type { EmbedBlock } from "../../../shared/api/embed/embed-message.ts";
import { blocksToMarkdown } from "../../../shared/markdown/blocks-to-markdown.ts";
import type { MarkdownElements } from "../../../shared/markdown/render-markdown.ts";
import { isSafeUrl, linkAttributes } from "../../../shared/markdown/safe-link.ts";
import { h, icon } from "./dom.ts";
import { icons } from "./icons.ts";
import type { Texts } from "./texts.ts";

/** Module that parses and renders Markdown; null until it is loaded. */
export type MarkdownModule = typeof import("./markdown.ts") | null;

/** Element to render, with a key. An element is reused as long as its key stays the same. */
export interface ContentElement {
  readonly key: string;
  render(): HTMLElement;
}

const noReferences: ReadonlySet<number> = new Set();

/**
 * Returns one element per top-level block of a Markdown text.
 * @param references numbers of sources, which are shown as such
 */
export function markdownElements(
  text: string,
  texts: Texts,
  markdown: MarkdownModule,
  references = noReferences,
): ContentElement[] {
  if (!text.trim()) return [];
  if (!markdown) return [{ key: `plain ${text}`, render: () => h("p", { class: "said" }, text) }];
  const root = markdown.parseMarkdown(text);
  // The widget has no list of ids on the page of others to which a footnote could lead.
  const definitions = markdown.definitionsOf(root, null);
  const links = JSON.stringify([[...definitions.urls], [...definitions.footnotes], [...references]]);
  const elements = createElements(texts, references);
  const blocks = root.children.map((node) => ({
    key: `${links} ${text.slice(node.position?.start.offset, node.position?.end.offset)}`,
    render: () => markdown.renderMarkdown([node], elements, definitions)[0] as HTMLElement,
  }));
  const visible = blocks.filter((_, index) => !/^(?:footnoteD|d)efinition$/.test(root.children[index]?.type ?? ""));
  const footnotes = markdown.renderFootnotes(root, elements, definitions);
  return [...visible, ...footnotes.map((list) => ({ key: `${links} ${text}`, render: () => list as HTMLElement }))];
}

const reference = /\[(\d{1,3})\]/;

function createElements(texts: Texts, references: ReadonlySet<number>): MarkdownElements<Node> {
  return {
    element: (tag, attributes, children) => {
      const strings = Object.entries(attributes).map(([name, value]) => [name, String(value)]);
      return h(tag as "p", Object.fromEntries(strings), ...children);
    },
    text: (value) => {
      const content = document.createDocumentFragment();
      value.split(reference).forEach((part, index) => {
        if (index % 2 === 0) content.append(part);
        else content.append(references.has(Number(part)) ? h("sup", { class: "ref" }, part) : `[${part}]`);
      });
      return content;
    },
    code: (language, code) => codeElement(language === "vega-lite" ? texts.chart : (language ?? ""), code, texts),
    formula: ({ source }) => h("code", {}, source),
    table: (table, columns) =>
      h("div", { class: "table", dir: "auto", tabindex: "0", role: "group", "aria-label": columns }, table),
    footnoteLabel: String,
    task: (isDone) => new Text(isDone ? "☑ " : "☐ "),
  };
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

/** Returns the elements of a reply's blocks. Citations are collected in a list of sources at the end. */
export function blockElements(blocks: readonly EmbedBlock[], texts: Texts, markdown: MarkdownModule): ContentElement[] {
  const citations = blocks.filter((block) => block.type === "citation");
  const references = new Set(citations.map(({ index }) => index));
  const elements = markdownElements(blocksToMarkdown(blocks), texts, markdown, references);
  if (citations.length === 0) return elements;
  const render = () => sourcesElement(citations, texts, markdown);
  return [...elements, { key: `sources ${JSON.stringify(citations)}`, render }];
}

type Citation = Extract<EmbedBlock, { type: "citation" }>;

/** Groups citations by their source, so that each source is listed once with all of its quotes. */
function groupBySource(citations: readonly Citation[]): Citation[][] {
  return [...Map.groupBy(citations, ({ title, uri }) => JSON.stringify([title, uri])).values()];
}

function sourceElement(citations: readonly Citation[], texts: Texts, markdown: MarkdownModule): HTMLElement {
  const [{ title, uri }] = citations as [Citation];
  const numbers = citations.map(({ index }) => `[${index}]`).join(" ");
  const render = (quote: string) => markdownElements(quote, texts, markdown).map((element) => element.render());
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
      ...(uri && isSafeUrl(uri) ? [h("a", { href: uri, ...linkAttributes }, texts.openSource)] : []),
    ),
  );
}

function sourcesElement(citations: readonly Citation[], texts: Texts, markdown: MarkdownModule): HTMLElement {
  return h(
    "div",
    { class: "sources", role: "group", "aria-label": texts.sources },
    h("h4", {}, texts.sources),
    h("ul", {}, ...groupBySource(citations).map((group) => sourceElement(group, texts, markdown))),
  );
}
