/** Notation of what a reader sees: `p(text b(bold) a[target](link))`, with numbers of lists and sources of formulas. */
const names: Readonly<Record<string, string>> = { strong: "b", em: "i", del: "s", blockquote: "quote" };

const transparent: ReadonlySet<string> = new Set(["div", "span", "thead", "tbody", "button", "svg"]);

/** Node of a parsed page, of parse5 or of the DOM. */
export interface ParsedNode {
  readonly nodeName: string;
  readonly value?: string;
  readonly attrs?: readonly { readonly name: string; readonly value: string }[];
  readonly childNodes?: readonly ParsedNode[];
}

const formula = /^(?:\$\$?([\s\S]*?)\$\$?|\\[([]([\s\S]*?)\\[)\]])$/;

const textOf = (node: ParsedNode): string => node.value ?? (node.childNodes ?? []).map(textOf).join("");

/** Returns the notation of a rendered message. */
export function normalize(node: ParsedNode, parent = ""): string {
  const name = node.nodeName.toLowerCase();
  if (name === "#text") return (node.value ?? "").replace(/\s+/g, " ");
  const attribute = (wanted: string) => node.attrs?.find((each) => each.name === wanted)?.value;
  if (name === "pre") return `pre(${textOf(node).trim()})`;
  if (name === "code") {
    const source = textOf(node);
    const [, dollars, brackets] = (!source.includes("`") && formula.exec(source)) || [];
    const math = dollars ?? brackets;
    return math === undefined ? `code(${source})` : `math(${math.trim().replace(/\s+/g, " ")})`;
  }
  const content = (node.childNodes ?? []).map((child) => normalize(child, name)).join("");
  // A list has the same text with space between its items.
  if (transparent.has(name) || name.startsWith("#") || (name === "p" && parent === "li")) return content;
  if (name === "br" || name === "hr") return `${name} `;
  const shown = names[name] ?? name;
  const title = attribute("title") ? ` "${attribute("title")}"` : "";
  if (name === "a") return attribute("class") === "footnote" ? content : `a[${attribute("href")}${title}](${content})`;
  if (attribute("align")) return `${shown}:${attribute("align")}(${content.trim()})`;
  return `${shown}${name === "ol" ? (attribute("start") ?? "1") : ""}(${content.trim()})`;
}

/** Removes spaces that no reader sees. */
export const tidy = (notation: string): string =>
  notation
    .replace(/\s+(?=[()])|(?<=[()])\s+/g, "")
    .replace(/\s+/g, " ")
    .trim();
