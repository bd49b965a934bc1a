import { expect, it } from "vitest";
import { blocksToMarkdown, parseBlocks } from "#shared/conversations/markdown-blocks.ts";
import { renderSharedPage } from "#shared/conversations/sharing/shared-page.ts";
import { growthFactor, MAX_GROWTH } from "#test/support/growth/growth.ts";

it.each([
  ["", []],
  ["Hello", [{ type: "text", text: "Hello" }]],
  ["# Title\n\nSome *text*.", [{ type: "text", text: "# Title\n\nSome *text*." }]],
  ["```ts\nlet a;\n```", [{ type: "code", language: "ts", code: "let a;" }]],
  ["```\nplain\n```", [{ type: "code", language: null, code: "plain" }]],
  ["| a | b |\n|---|---|\n| 1 | **2** |", [{ type: "table", columns: ["a", "b"], rows: [["1", "**2**"]] }]],
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

it.each(["~~a", "[a](", "](", "[^a]", "**a", "*_a", "* a", "> a\n\n", "- a\n  - b\n", "\\[\n", "$$ "])(
  "parseBlocks(), which parses Markdown into message blocks, takes time proportional to the length of a text full of %j",
  async (fragment) => {
    const createText = (length: number) => fragment.repeat(length / fragment.length);
    expect(await growthFactor(parseBlocks, createText, 2_500)).toBeLessThan(MAX_GROWTH);
  },
);

it.each([
  ["nested quotes", ">".repeat(32_000)],
  ["lists nested in quotes nested in lists", "> - ".repeat(8_000)],
  ["nested lists", "1) ".repeat(10_000)],
  ["a wide table of empty rows", `${"|a".repeat(2_000)}\n${"|-".repeat(2_000)}\n${"|\n".repeat(8_000)}`],
  ["setext headings", "a\n=\n".repeat(8_000)],
  ["setext headings in a quote", "> a\n> =\n>\n".repeat(3_000)],
])(
  "parseBlocks(), which parses Markdown into message blocks, loses no text of %s in the message and on the page of its share link",
  (_, text) => {
    expect(blocksToMarkdown(parseBlocks(text)).length).toBeGreaterThan(text.length / 4);
    const content = [{ type: "text" as const, text }];
    const at = "2026-01-01T00:00:00.000Z";
    const messages = [{ role: "assistant" as const, content, created_at: at }];
    const page = renderSharedPage({ title: "x", messages, shared_at: at, expires_at: at, next_cursor: null });
    expect(page.length).toBeGreaterThan(text.length / 4);
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
