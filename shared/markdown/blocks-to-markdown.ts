import type { Block } from "../api/blocks.ts";

type ContentType = "text" | "code" | "vega" | "table" | "list" | "image";

/** Block with text of the message, or another one, whose other fields do not matter. */
type RenderedBlock = Extract<Block, { type: ContentType }> | { readonly type: Exclude<Block["type"], ContentType> };

/** Renders blocks as Markdown, for the model's history, exports and the clipboard. */
export function blocksToMarkdown(blocks: readonly RenderedBlock[]): string {
  return blocks.map(blockToMarkdown).filter(Boolean).join("\n\n");
}

/** Returns fenced code. The fence is longer than any run of backticks in the code. */
function toFencedCode(language: string, code: string): string {
  const longestRun = (code.match(/`{3,}/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 2);
  const fence = "`".repeat(longestRun + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}

/** Delimiters below the head of a table, by the alignment of the column. */
const delimiters = { left: ":--", center: ":-:", right: "--:", none: "---" } as const;

function blockToMarkdown(block: RenderedBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "code":
      return toFencedCode(block.language ?? "", block.code);
    case "vega":
      return toFencedCode("vega-lite", JSON.stringify(block.spec));
    case "table": {
      const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
      const rules = block.columns.map((_, index) => delimiters[block.align?.[index] ?? "none"]);
      return [row(block.columns), row(rules), ...block.rows.map(row)].join("\n");
    }
    case "list": {
      const { ordered, start = 1, loose, items } = block;
      return items.map((item, index) => `${ordered ? `${start + index}.` : "-"} ${item}`).join(loose ? "\n\n" : "\n");
    }
    case "image":
      return `![${block.alt.replaceAll(/[[\]\\]/g, "\\$&")}](<${block.url.replaceAll(/[<>\n]/g, encodeURIComponent)}>)`;
    default:
      return "";
  }
}
