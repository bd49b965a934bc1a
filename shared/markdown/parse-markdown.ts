import type { Link, Nodes, Parent, PhrasingContent, Root, Text } from "mdast";
import { fromMarkdown, type Options } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { cjkFriendlyExtension } from "micromark-extension-cjk-friendly";
import { gfmStrikethroughCjkFriendly } from "micromark-extension-cjk-friendly-gfm-strikethrough";
import { gfm } from "micromark-extension-gfm";
import { hidesEmphasis, untilPunctuation } from "./address-end.ts";
import { disableCostlyConstructs } from "./costly-markdown.ts";
import { mathFromMarkdown, mathSyntax } from "./markdown-math.ts";

/** HTML elements in a text that are rendered. All other HTML is shown as text, so that a message cannot inject elements. */
const inlineElements = [
  "sub",
  "sup",
  "kbd",
  "mark",
  "ins",
  "u",
  "b",
  "strong",
  "i",
  "em",
  "s",
  "del",
  "small",
] as const;

/** Element that a message wrote as HTML, without attributes. */
interface InlineElement extends Parent {
  readonly type: "element";
  readonly tag: (typeof inlineElements)[number];
  children: PhrasingContent[];
}

declare module "mdast" {
  interface PhrasingContentMap {
    element: InlineElement;
  }
  interface RootContentMap {
    element: InlineElement;
  }
}

/** HTML blocks hide the Markdown in them, so that only HTML within a text is recognized. A single tilde is a range: `10~20`. */
const syntax: NonNullable<Options["extensions"]> = [
  gfm({ singleTilde: false }),
  cjkFriendlyExtension(),
  gfmStrikethroughCjkFriendly({ singleTilde: false }),
  mathSyntax,
  { disable: { null: ["htmlFlow"] } },
];

const mdastExtensions = [gfmFromMarkdown(), mathFromMarkdown];

const tagPattern = /^<(\/?)([a-z]{1,6})\s*\/?>$/i;

/** Replaces HTML elements without attributes by nodes. A tag without its counterpart remains text. */
function withElements(children: readonly PhrasingContent[]): PhrasingContent[] {
  const open: { readonly tag: InlineElement["tag"]; readonly start: number }[] = [];
  const nodes: PhrasingContent[] = [];
  for (const child of children) {
    const [, slash, name = ""] = (child.type === "html" && tagPattern.exec(child.value)) || [];
    const tag = inlineElements.find((each) => each === name.toLowerCase());
    const opening = slash ? open.findLastIndex((each) => each.tag === tag) : -1;
    const start = open[opening]?.start;
    if (tag && start !== undefined) {
      open.length = opening;
      nodes.push({ type: "element", tag, children: nodes.splice(start).slice(1) });
      continue;
    }
    if (tag && !slash) open.push({ tag, start: nodes.length });
    nodes.push(name.toLowerCase() === "br" ? { type: "break" } : child);
  }
  return nodes;
}

/** Splits the text after an address off its link, where the parser took both for the address. */
function withoutPunctuation(link: Link): PhrasingContent[] {
  const [content] = link.children;
  if (link.title || link.children.length !== 1 || content?.type !== "text") return [link];
  const { value } = content;
  const address = untilPunctuation(value);
  if (address === value || !link.url.endsWith(value)) return [link];
  const url = link.url.slice(0, link.url.length - value.length + address.length);
  return [
    { ...link, url, children: [{ ...content, value: address }] },
    { type: "text", value: value.slice(address.length) },
  ];
}

/** Splits a text at its line breaks, which readers see. Models write addresses and verses with them. */
const withBreaks = ({ value }: Text): PhrasingContent[] =>
  value
    .split("\n")
    .flatMap((line, index) => [
      ...(index > 0 ? [{ type: "break" } as const] : []),
      ...(line ? [{ type: "text", value: line } as const] : []),
    ]);

function improve(node: Nodes, source: string): void {
  if (!("children" in node)) return;
  for (const child of node.children) improve(child, source);
  if (node.children.some((child) => child.type === "text" && child.value.includes("\n"))) {
    node.children = (node.children as PhrasingContent[]).flatMap((child) =>
      child.type === "text" ? withBreaks(child) : [child],
    ) as typeof node.children;
  }
  if (node.children.some(({ type }) => type === "html")) {
    node.children = withElements(node.children as PhrasingContent[]) as typeof node.children;
  }
  // In `[text](address)` and `<address>`, the author has said where the address ends.
  const isBare = ({ position }: Nodes) => !position || !/[<[]/.test(source[position.start.offset ?? 0] ?? "");
  if (node.children.some((child) => child.type === "link" && isBare(child))) {
    node.children = (node.children as PhrasingContent[]).flatMap((child) =>
      child.type === "link" && isBare(child) ? withoutPunctuation(child) : [child],
    ) as typeof node.children;
  }
}

/**
 * Parses Markdown into a tree whose nodes have their positions in the source: GitHub Flavored Markdown with formulas and emphasis
 * that fits Chinese, Japanese and Korean.
 * @param disabled names of constructs that are not parsed
 */
export function parseMarkdownSource(source: string, disabled: readonly string[] = []): Root {
  const { disable } = disableCostlyConstructs(source);
  // Then the addresses are found in the tree, when emphasis is known.
  const addresses = hidesEmphasis(source) ? ["protocolAutolink", "wwwAutolink"] : [];
  const extensions = [...syntax, { disable: { null: [...disable.null, ...disabled, ...addresses] } }];
  return fromMarkdown(source, { extensions, mdastExtensions });
}

/** Parses Markdown for display, with its line breaks and the HTML elements that are rendered. */
export function parseMarkdown(source: string): Root {
  const root = parseMarkdownSource(source);
  improve(root, source);
  return root;
}
