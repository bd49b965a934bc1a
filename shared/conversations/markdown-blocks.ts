import type { Nodes, RootContent, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { toString as toPlainText } from "mdast-util-to-string";
import { gfm } from "micromark-extension-gfm";
import type { Block } from "../api/blocks.ts";
import { isStorable } from "../api/json.ts";
import { disableCostlyConstructs } from "../lib/costly-markdown.ts";

/** Strikethrough is disabled: no block type represents it, and its tokenizer takes quadratic time. */
const extensions = [gfm(), { disable: { null: ["strikethrough"] } }];

/** Parses a model's Markdown (GitHub Flavored Markdown) into typed blocks. */
export function parseBlocks(markdown: string): Block[] {
  const root = fromMarkdown(markdown, {
    extensions: [...extensions, disableCostlyConstructs(markdown)],
    mdastExtensions: [gfmFromMarkdown()],
  });
  const getSource = (node: Nodes) => markdown.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
  const blocks: Block[] = [];
  let textEnd: number | null = null;
  for (const node of root.children) {
    const block = toBlock(node, getSource);
    const last = blocks.at(-1);
    if (block.type === "text" && last?.type === "text" && textEnd !== null) {
      // Adjacent text nodes become one block, with the source between them.
      const gap = markdown.slice(textEnd, node.position?.start.offset);
      blocks[blocks.length - 1] = { type: "text", text: last.text + gap + block.text };
    } else {
      blocks.push(block);
    }
    textEnd = block.type === "text" ? (node.position?.end.offset ?? null) : null;
  }
  return blocks;
}

function toBlock(node: RootContent, getSource: (node: Nodes) => string): Block {
  switch (node.type) {
    case "code":
      return toCodeBlock(node.lang ?? null, node.value);
    case "table":
      return toTableBlock(node);
    case "list":
      return {
        type: "list",
        ordered: node.ordered ?? false,
        items: node.children.map((item) => withoutListMarker(getSource(item))),
      };
    case "paragraph": {
      const [child] = node.children;
      return node.children.length === 1 && child?.type === "image"
        ? { type: "image", url: child.url, alt: child.alt ?? "" }
        : { type: "text", text: getSource(node) };
    }
    default:
      return { type: "text", text: getSource(node) };
  }
}

function toCodeBlock(language: string | null, code: string): Block {
  if (language === "vega-lite" || language === "vega") {
    try {
      const spec: unknown = JSON.parse(code);
      if (typeof spec === "object" && spec !== null && !Array.isArray(spec) && isStorable(spec)) {
        return { type: "vega", spec: spec as Record<string, unknown> };
      }
    } catch {
      // Invalid JSON is stored as a code block, as is a chart that is too large or nested too deeply to store.
    }
  }
  return { type: "code", language, code };
}

function toTableBlock(table: Table): Block {
  const [columns = [], ...rows] = table.children.map((row) => row.children.map((cell) => toPlainText(cell)));
  return { type: "table", columns, rows };
}

/** Returns the source of a list item without its marker. */
function withoutListMarker(source: string): string {
  return source.replace(/^(?:[-*+]|\d{1,9}[.)])[ \t]*/, "");
}

/** Renders blocks as Markdown, for the model's history and for exports. */
export function blocksToMarkdown(blocks: readonly Block[]): string {
  return blocks.map(blockToMarkdown).filter(Boolean).join("\n\n");
}

/** Returns fenced code. The fence is longer than any run of backticks in the code. */
function toFencedCode(language: string, code: string): string {
  const longestRun = (code.match(/`{3,}/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 2);
  const fence = "`".repeat(longestRun + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}

function blockToMarkdown(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "code":
      return toFencedCode(block.language ?? "", block.code);
    case "vega":
      return toFencedCode("vega-lite", JSON.stringify(block.spec));
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
