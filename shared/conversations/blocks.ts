import type { Nodes, RootContent, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { toString as textOf } from "mdast-util-to-string";
import { gfm } from "micromark-extension-gfm";
import type { Block } from "../api/blocks.ts";
import { isStorable } from "../api/json.ts";
import { disableCostlyConstructs } from "../lib/costly-markdown.ts";

/** What is struck through is text to a block, and looking for it takes time that grows with the square of the text. */
const extensions = [gfm(), { disable: { null: ["strikethrough"] } }];

/** A model's Markdown (CommonMark with GitHub's extensions) as typed blocks. */
export function blocksOf(markdown: string): Block[] {
  const root = fromMarkdown(markdown, {
    extensions: [...extensions, disableCostlyConstructs(markdown)],
    mdastExtensions: [gfmFromMarkdown()],
  });
  const source = (node: Nodes) => markdown.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
  const blocks: Block[] = [];
  let textEnd: number | null = null;
  for (const node of root.children) {
    const block = typedBlock(node, source);
    const last = blocks.at(-1);
    if (block.type === "text" && last?.type === "text" && textEnd !== null) {
      // Neighbouring paragraphs are one text, with whatever stood between them.
      const gap = markdown.slice(textEnd, node.position?.start.offset);
      blocks[blocks.length - 1] = { type: "text", text: last.text + gap + block.text };
    } else {
      blocks.push(block);
    }
    textEnd = block.type === "text" ? (node.position?.end.offset ?? null) : null;
  }
  return blocks;
}

function typedBlock(node: RootContent, source: (node: Nodes) => string): Block {
  switch (node.type) {
    case "code":
      return codeBlock(node.lang ?? null, node.value);
    case "table":
      return tableBlock(node);
    case "list":
      return {
        type: "list",
        ordered: node.ordered ?? false,
        items: node.children.map((item) => itemText(source(item))),
      };
    case "paragraph": {
      const [only] = node.children;
      return node.children.length === 1 && only?.type === "image"
        ? { type: "image", url: only.url, alt: only.alt ?? "" }
        : { type: "text", text: source(node) };
    }
    default:
      return { type: "text", text: source(node) };
  }
}

function codeBlock(language: string | null, code: string): Block {
  if (language === "vega-lite" || language === "vega") {
    try {
      const spec: unknown = JSON.parse(code);
      if (typeof spec === "object" && spec !== null && !Array.isArray(spec) && isStorable(spec)) {
        return { type: "vega", spec: spec as Record<string, unknown> };
      }
    } catch {
      // Not JSON after all: shown as the code it is, like a specification out of all proportion.
    }
  }
  return { type: "code", language, code };
}

function tableBlock(table: Table): Block {
  const [columns = [], ...rows] = table.children.map((row) => row.children.map((cell) => textOf(cell)));
  return { type: "table", columns, rows };
}

/** A list item without its marker. */
function itemText(source: string): string {
  return source.replace(/^(?:[-*+]|\d{1,9}[.)])[ \t]*/, "");
}

/** Blocks as Markdown again, for the model's history and for exports. */
export function markdownOf(blocks: readonly Block[]): string {
  return blocks.map(blockMarkdown).filter(Boolean).join("\n\n");
}

/** Code between fences that are longer than any within it. */
function fenced(language: string, code: string): string {
  const longest = (code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}

function blockMarkdown(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "code":
      return fenced(block.language ?? "", block.code);
    case "vega":
      return fenced("vega-lite", JSON.stringify(block.spec));
    case "table": {
      const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
      return [row(block.columns), row(block.columns.map(() => "---")), ...block.rows.map(row)].join("\n");
    }
    case "list":
      return block.items.map((item, index) => `${block.ordered ? `${index + 1}.` : "-"} ${item}`).join("\n");
    case "image":
      return `![${block.alt}](${block.url})`;
    default:
      return "";
  }
}
