import type { Nodes, RootContent, Table } from "mdast";
import type { Block } from "../api/blocks.ts";
import { isStorable } from "../api/json.ts";
import { parseJson } from "../lib/parse-json.ts";
import { parseMarkdownSource } from "../markdown/parse-markdown.ts";
import { isLoose } from "../markdown/render-markdown.ts";

export { blocksToMarkdown } from "../markdown/blocks-to-markdown.ts";

/** Parses a model's Markdown (GitHub Flavored Markdown) into typed blocks. */
export function parseBlocks(markdown: string): Block[] {
  // No block type represents strikethrough, and its tokenizer takes quadratic time.
  const root = parseMarkdownSource(markdown, ["strikethrough"]);
  const getSource = (node: Nodes) => markdown.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
  const blocks: Block[] = [];
  let textEnd: number | null = null;
  for (const node of root.children) {
    const block = toBlock(node, getSource, markdown);
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

function toBlock(node: RootContent, getSource: (node: Nodes) => string, markdown: string): Block {
  switch (node.type) {
    case "code":
      return toCodeBlock(node.lang ?? null, node.value);
    case "table":
      return toTableBlock(node, markdown);
    case "list":
      return {
        type: "list",
        ordered: node.ordered ?? false,
        ...(node.ordered && node.start !== 1 && { start: node.start ?? 1 }),
        ...(isLoose(node) && { loose: true }),
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
    const spec = parseJson(code);
    // Invalid JSON is stored as a code block, as is a chart that is too large or nested too deeply to store.
    if (typeof spec === "object" && spec !== null && !Array.isArray(spec) && isStorable(spec)) {
      return { type: "vega", spec: spec as Record<string, unknown> };
    }
  }
  return { type: "code", language, code };
}

/** Returns a table block. Its cells are Markdown without the escapes of vertical bars, which only a table needs. */
function toTableBlock(table: Table, markdown: string): Block {
  const [columns = [], ...rows] = table.children.map((row) =>
    row.children.map(({ children }) => {
      const [start, end] = [children[0]?.position?.start.offset, children.at(-1)?.position?.end.offset];
      return start === undefined ? "" : markdown.slice(start, end).replaceAll("\\|", "|");
    }),
  );
  const align = columns.map((_, index) => table.align?.[index] ?? null);
  return { type: "table", columns, ...(align.some((each) => each !== null) && { align }), rows };
}

function withoutListMarker(source: string): string {
  return source.replace(/^(?:[-*+]|\d{1,9}[.)])[ \t]*/, "");
}
