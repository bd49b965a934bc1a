import type { RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { toString as toText } from "mdast-util-to-string";
import { disableCostlyConstructs } from "../../markdown/costly-markdown.ts";
import { toHtmlSegments } from "./html-segments.ts";
import type { Segment } from "./segments.ts";

/**
 * Approximate length of the parts into which Markdown is split before it is parsed, in UTF-16 code units. The parser's
 * time is quadratic in the number of open constructs, and one document of 1 MiB must not delay others.
 */
const PART_LENGTH = 4_000;

/**
 * Micromark extension that recognizes only headings, code and HTML. Other constructs can take a minute for 1 MiB of
 * brackets or list items, and nested block quotes overflow the parser's stack.
 */
const blocksOnly = {
  disable: {
    null: [
      "attention",
      "autolink",
      "blockQuote",
      "characterEscape",
      "characterReference",
      "codeIndented",
      "codeText",
      "definition",
      "htmlText",
      "labelEnd",
      "labelStartImage",
      "labelStartLink",
      "list",
    ],
  },
};

const fence = /^ {0,3}(?<marker>`{3,}|~{3,})/;

/** Splits Markdown at blank lines outside of fenced code, or at any line if a part would be too long. */
function splitIntoParts(markdown: string): string[] {
  const parts: string[] = [];
  let part = "";
  let openFence: string | null = null;
  for (const line of markdown.split(/(?<=\n)/).flatMap(splitLongLine)) {
    const marker = fence.exec(line)?.groups?.marker ?? null;
    if (openFence === null) openFence = marker;
    else if (marker?.startsWith(openFence)) openFence = null;
    part += line;
    const isBetweenBlocks = openFence === null && line.trim() === "";
    if (part.length > (isBetweenBlocks ? PART_LENGTH : 2 * PART_LENGTH)) {
      parts.push(part);
      part = "";
      openFence = null;
    }
  }
  return [...parts, part];
}

function splitLongLine(line: string): string[] {
  return line.length <= PART_LENGTH ? [line] : (line.match(/[\s\S]{1,4000}/gu) ?? []);
}

/** Removes link targets, emphasis and code marks from the text of a heading. */
function toPlainTitle(title: string): string {
  return title.replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1").replace(/[*`]/g, "");
}

/** Splits a Markdown document into segments. Their texts are the Markdown source. */
export function toMarkdownSegments(markdown: string): Segment[] {
  return splitIntoParts(markdown).flatMap((part) =>
    fromMarkdown(part, { extensions: [blocksOnly, disableCostlyConstructs(part)] }).children.flatMap((node) =>
      toSegments(node, part),
    ),
  );
}

function toSegments(node: RootContent, markdown: string): Segment[] {
  const text = markdown.slice(node.position?.start.offset, node.position?.end.offset);
  switch (node.type) {
    case "heading":
      return [{ kind: "heading", level: node.depth, title: toPlainTitle(toText(node)), text }];
    case "code":
      return [{ kind: "code", text }];
    case "html":
      return toHtmlSegments(text);
    case "thematicBreak":
      return [];
    default:
      return [{ kind: "text", text }];
  }
}
