import type { RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { toString as textOf } from "mdast-util-to-string";
import { disableCostlyConstructs } from "../../lib/costly-markdown.ts";
import { htmlPieces } from "./html-segments.ts";
import type { Piece } from "./segments.ts";

/**
 * Markdown is parsed in parts of about this many UTF-16 units: the parser's time grows with the square of what is open,
 * and a document of 1 MiB must not be able to hold up the others.
 */
const partLength = 4_000;

/**
 * Only headings, code and HTML are told apart from text. Looking for anything else costs up to a minute for 1 MiB of
 * brackets or list items, and the parser's stack for quotations in quotations.
 */
const onlyBlocks = {
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

/** Cuts between blocks: at blank lines outside fenced code, or anywhere where there are none for too long. */
function partsOf(markdown: string): string[] {
  const parts: string[] = [];
  let part = "";
  let open: string | null = null;
  for (const line of markdown.split(/(?<=\n)/).flatMap(shortLines)) {
    const marker = fence.exec(line)?.groups?.marker ?? null;
    if (open === null) open = marker;
    else if (marker?.startsWith(open)) open = null;
    part += line;
    const between = open === null && line.trim() === "";
    if (part.length > (between ? partLength : 2 * partLength)) {
      parts.push(part);
      part = "";
      open = null;
    }
  }
  return [...parts, part];
}

function shortLines(line: string): string[] {
  return line.length <= partLength ? [line] : (line.match(/[\s\S]{1,4000}/gu) ?? []);
}

/** What a title says, without the targets of its links and the marks of emphasis and code. */
function plainTitle(title: string): string {
  return title.replace(/!?\[([^\]]*)\]\([^()]*\)/g, "$1").replace(/[*`]/g, "");
}

/** The parts of a Markdown document, each as it is written there. */
export function markdownPieces(markdown: string): Piece[] {
  return partsOf(markdown).flatMap((part) =>
    fromMarkdown(part, { extensions: [onlyBlocks, disableCostlyConstructs(part)] }).children.flatMap((node) =>
      piecesOf(node, part),
    ),
  );
}

function piecesOf(node: RootContent, markdown: string): Piece[] {
  const text = markdown.slice(node.position?.start.offset, node.position?.end.offset);
  switch (node.type) {
    case "heading":
      return [{ kind: "heading", level: node.depth, title: plainTitle(textOf(node)), text }];
    case "code":
      return [{ kind: "code", text }];
    case "html":
      return htmlPieces(text);
    case "thematicBreak":
      return [];
    default:
      return [{ kind: "text", text }];
  }
}
