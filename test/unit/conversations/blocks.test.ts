import { expect, it } from "vitest";
import { blocksToMarkdown, parseBlocks } from "#shared/conversations/markdown-blocks.ts";
import { parseMarkdown } from "#shared/markdown/parse-markdown.ts";
import { type MarkdownElements, renderMarkdown } from "#shared/markdown/render-markdown.ts";

it.each([
  ["", []],
  ["Hello", [{ type: "text", text: "Hello" }]],
  ["# Title\n\nSome *text*.", [{ type: "text", text: "# Title\n\nSome *text*." }]],
  ["```ts\nlet a;\n```", [{ type: "code", language: "ts", code: "let a;" }]],
  ["```\nplain\n```", [{ type: "code", language: null, code: "plain" }]],
  ["| a | b |\n|---|---|\n| 1 | **2** |", [{ type: "table", columns: ["a", "b"], rows: [["1", "**2**"]] }]],
  [
    "| a | b | c |\n|:--|:-:|---|\n| 1 | 2 | 3 |",
    [{ type: "table", columns: ["a", "b", "c"], align: ["left", "center", null], rows: [["1", "2", "3"]] }],
  ],
  ["| a |\n|-|\n| `x\\|y` |\n||", [{ type: "table", columns: ["a"], rows: [["`x|y`"], [""]] }]],
  ["3. one\n4. two", [{ type: "list", ordered: true, start: 3, items: ["one", "two"] }]],
  ["\\[\na\n+ b\n\\]", [{ type: "text", text: "\\[\na\n+ b\n\\]" }]],
  [
    "It costs $5:\n\n- a",
    [
      { type: "text", text: "It costs $5:" },
      { type: "list", ordered: false, items: ["a"] },
    ],
  ],
  ["1. one\n2. two", [{ type: "list", ordered: true, items: ["one", "two"] }]],
  ["- a\n\n- b\n- c", [{ type: "list", ordered: false, loose: true, items: ["a", "b", "c"] }]],
  ["- a\n- b", [{ type: "list", ordered: false, items: ["a", "b"] }]],
  ["![alt](https://x.test/a.png)", [{ type: "image", url: "https://x.test/a.png", alt: "alt" }]],
  ['```vega-lite\n{"mark":"bar"}\n```', [{ type: "vega", spec: { mark: "bar" } }]],
  ["```vega-lite\nnot json\n```", [{ type: "code", language: "vega-lite", code: "not json" }]],
  [
    "before\n\n```\nx\n```\nafter",
    [
      { type: "text", text: "before" },
      { type: "code", language: null, code: "x" },
      { type: "text", text: "after" },
    ],
  ],
])(
  "parseBlocks(), which parses Markdown into message blocks, returns the blocks of the Markdown text %j",
  (markdown, blocks) => {
    expect(parseBlocks(markdown)).toEqual(blocks);
  },
);

it("parseBlocks(), which parses Markdown into message blocks, parses a long line of hyphens followed by a bold list as text and one list", () => {
  const answer = `${"-".repeat(80)}\n\n${"- **a**\n".repeat(300)}\n- [a](https://a.test)`;
  expect(parseBlocks(answer).map(({ type }) => type)).toEqual(["text", "list"]);
});

it("parseBlocks(), which parses Markdown into message blocks, returns the same blocks again when its blocks are converted to Markdown", () => {
  const markdown = "Intro\n\n```ts\nlet a;\n```\n\n- x\n- y\n\n| a |\n| --- |\n| 1 |";
  expect(blocksToMarkdown(parseBlocks(markdown))).toBe(markdown);
  expect(parseBlocks(blocksToMarkdown(parseBlocks(markdown)))).toEqual(parseBlocks(markdown));
});

it.each(["```\nnested\n```", "a ```` b", "~~~\n```", "`"])(
  "parseBlocks(), which parses Markdown into message blocks, returns the same code block again when code that contains fences is converted to Markdown: %j",
  (code) => {
    const blocks = [
      { type: "code" as const, language: "md", code },
      { type: "text" as const, text: "after" },
    ];
    expect(parseBlocks(blocksToMarkdown(blocks))).toEqual(blocks);
  },
);

/** Functions that create HTML. */
const elements: MarkdownElements<string> = {
  element: (tag, attributes, children) => {
    const pairs = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
    return `<${tag}${pairs.join("")}>${children.join("")}</${tag}>`;
  },
  text: (value) => value,
  code: (_, code) => code,
  formula: () => "",
  table: (table) => table,
  task: (isDone) => String(isDone),
  footnoteLabel: String,
};

it("renderMarkdown() renders all items of a list as paragraphs if blank lines separate some, also from its block", () => {
  const html = (markdown: string) =>
    renderMarkdown(parseMarkdown(markdown).children, elements, {
      urls: new Map(),
      footnotes: new Map(),
      prefix: null,
    }).join("");
  const items = ["a", "b", "c"].map((text) => `<li><p dir="auto">${text}</p></li>`);
  const loose = `<ul>${items.join("")}</ul>`;
  for (const markdown of ["- a\n\n- b\n- c", "- a\n- b\n\n- c"]) {
    expect(html(markdown)).toBe(loose);
    expect(html(blocksToMarkdown(parseBlocks(markdown)))).toBe(loose);
  }
  expect(html("- a\n- b")).toBe('<ul dir="auto"><li>a</li><li>b</li></ul>');
});
