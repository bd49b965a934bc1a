import type { FootnoteDefinition, List, ListItem, Nodes, Parents, Root, Table } from "mdast";
import { toString as toText } from "mdast-util-to-string";
import type { Formula } from "./markdown-math.ts";
import { isSafeUrl, linkAttributes } from "./safe-link.ts";

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Functions that create what a page shows. */
export interface MarkdownElements<Node> {
  element(tag: string, attributes: Attributes, children: readonly Node[]): Node;
  text(value: string): Node;
  code(language: string | null, code: string): Node;
  formula(formula: Formula): Node;
  /** Puts a table into an element that can be scrolled. */
  table(table: Node, columns: string): Node;
  /** State of a task in a list. */
  task(isDone: boolean): Node;
  /** Returns the accessible name of the link to a footnote. */
  footnoteLabel(number: number): string;
}

/** Footnotes of a text, and the definitions of its reference links. */
export interface MarkdownDefinitions {
  /** URLs of reference links, by identifier. */
  readonly urls: ReadonlyMap<string, string>;
  /** Numbers of the footnotes by identifier, in the order in which the text refers to them. */
  readonly footnotes: ReadonlyMap<string, number>;
  /** Prefix of the HTML ids of footnotes, which makes them unique on the page; null if there is no list of them. */
  readonly prefix: string | null;
}

/** Returns true if blank lines separate the items of a list, or the parts of one of them. Its items are paragraphs then. */
export const isLoose = (list: List): boolean => Boolean(list.spread) || list.children.some(({ spread }) => spread);

/** Renders nodes of the syntax tree. HTML in Markdown is shown as text. */
export function renderMarkdown<Node>(
  nodes: Parents["children"],
  elements: MarkdownElements<Node>,
  definitions: MarkdownDefinitions,
): Node[] {
  const { element, text } = elements;
  const children = (node: Parents): Node[] => (node.children as Nodes[]).flatMap(render);
  const create = (tag: string, node: Parents, attributes: Attributes = {}) => [
    element(tag, attributes, children(node)),
  ];
  const link = (url: string, content: readonly Node[], title?: string | null) =>
    isSafeUrl(url)
      ? element("a", { href: url, ...linkAttributes, ...(title && { title }) }, content)
      : element("span", {}, content);

  function renderItem(item: ListItem, loose: boolean): Node {
    // In a tight list, Markdown renders the text of an item without a paragraph.
    const content = item.children.flatMap((child) =>
      child.type === "paragraph" && !loose ? children(child) : render(child),
    );
    return typeof item.checked === "boolean"
      ? element("li", { class: "task-item" }, [elements.task(item.checked), ...content])
      : element("li", {}, content);
  }

  function renderTable(table: Table): Node {
    const [head, ...rows] = table.children.map((row, index) => {
      const cells = row.children.flatMap((cell, column) => {
        const align = table.align?.[column];
        const attributes = { ...(index === 0 && { scope: "col" }), ...(align && { align }) };
        return create(index === 0 ? "th" : "td", cell, attributes);
      });
      return element("tr", {}, cells);
    });
    const parts = [element("thead", {}, head === undefined ? [] : [head]), element("tbody", {}, rows)];
    const columns = table.children[0]?.children.map((cell) => toText(cell)).join(", ") ?? "";
    return elements.table(element("table", {}, parts), columns);
  }

  function render(node: Nodes): Node[] {
    switch (node.type) {
      case "text":
      case "html":
        return [text(node.value)];
      case "paragraph":
        return create("p", node, { dir: "auto" });
      case "heading":
        // Heading levels start below the title of the page.
        return create(node.depth <= 2 ? "h3" : "h4", node, { dir: "auto" });
      case "strong":
        return create("strong", node);
      case "emphasis":
        return create("em", node);
      case "delete":
        return create("del", node);
      case "element":
        return create(node.tag, node);
      case "inlineCode":
        return [element("code", {}, [text(node.value)])];
      case "code":
        return [elements.code(node.lang ?? null, node.value)];
      case "blockquote":
        return create("blockquote", node);
      case "list": {
        const loose = isLoose(node);
        const attributes = { ...(!loose && { dir: "auto" }), ...(node.ordered && { start: node.start ?? 1 }) };
        const items = node.children.map((item) => renderItem(item, loose));
        return [element(node.ordered ? "ol" : "ul", attributes, items)];
      }
      case "table":
        return [renderTable(node)];
      case "link":
        return [link(node.url, children(node), node.title)];
      case "linkReference":
        return [link(definitions.urls.get(node.identifier) ?? "", children(node))];
      // Loading an image would tell its host that the answer was read.
      case "image":
        return [link(node.url, [text(node.alt || node.url)])];
      case "imageReference":
        return [link(definitions.urls.get(node.identifier) ?? "", [text(node.alt || node.identifier)])];
      case "footnoteReference":
        return [renderFootnoteReference(node.identifier, node.label ?? node.identifier)];
      case "math":
        return [elements.formula(node)];
      case "break":
        return [element("br", {}, [])];
      case "thematicBreak":
        return [element("hr", {}, [])];
      default:
        return [];
    }
  }

  function renderFootnoteReference(identifier: string, label: string): Node {
    const number = definitions.footnotes.get(identifier);
    if (number === undefined) return text(`[^${label}]`);
    const attributes = {
      class: "footnote",
      href: `#${definitions.prefix}${number}`,
      "aria-label": elements.footnoteLabel(number),
    };
    const content = [text(String(number))];
    return element("sup", {}, definitions.prefix === null ? content : [element("a", attributes, content)]);
  }

  return (nodes as Nodes[]).flatMap(render);
}

/** Returns the definitions of links and footnotes in a text. */
export const definitionsIn = (root: Root) => [...collect(root, "definition"), ...collect(root, "footnoteDefinition")];

/** Returns the definitions of a whole message. */
export function definitionsOf(root: Root, prefix: string | null): MarkdownDefinitions {
  const definitions = collect(root, "definition");
  const defined = new Set(collect(root, "footnoteDefinition").map(({ identifier }) => identifier));
  const referenced = collect(root, "footnoteReference").map(({ identifier }) => identifier);
  const identifiers = [...new Set(referenced.filter((identifier) => defined.has(identifier)))];
  return {
    // The first of several definitions counts.
    urls: new Map(definitions.reverse().map(({ identifier, url }) => [identifier, url])),
    footnotes: new Map(identifiers.map((identifier, index) => [identifier, index + 1])),
    prefix,
  };
}

function collect<Type extends Nodes["type"]>(node: Nodes, type: Type): Extract<Nodes, { type: Type }>[] {
  const own = node.type === type ? [node as Extract<Nodes, { type: Type }>] : [];
  return "children" in node ? [...own, ...(node.children as Nodes[]).flatMap((child) => collect(child, type))] : own;
}

/** Renders the list of the footnotes of a text; empty if it has none. */
export function renderFootnotes<Node>(
  root: Root,
  elements: MarkdownElements<Node>,
  definitions: MarkdownDefinitions,
): Node[] {
  const { footnotes, prefix } = definitions;
  if (footnotes.size === 0) return [];
  const nodes = new Map<string, FootnoteDefinition>(
    collect(root, "footnoteDefinition")
      .reverse()
      .map((node) => [node.identifier, node]),
  );
  const items = [...footnotes].map(([identifier, number]) =>
    elements.element(
      "li",
      prefix === null ? {} : { id: `${prefix}${number}`, tabIndex: -1 },
      renderMarkdown(nodes.get(identifier)?.children ?? [], elements, definitions),
    ),
  );
  return [elements.element("ol", { class: "footnotes", dir: "auto" }, items)];
}
