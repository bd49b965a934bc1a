import { expect, it } from "vitest";
import { parseBlocks } from "#shared/conversations/markdown-blocks.ts";
import { growthFactor, MAX_GROWTH } from "#test/support/growth/growth.ts";
import { bareAddress } from "../../../functions/web/widget/address.ts";
import { parseMarkdown } from "../../../functions/web/widget/markdown.ts";

const kinds = (text: string) => parseMarkdown(text).map(({ type }) => type);

it.each([
  ["two\nlines\n\nanother", ["paragraph", "paragraph"]],
  ["# A\n## B ##\ntext", ["heading", "heading", "paragraph"]],
  ["```ts\nconst a = 1;\n\n# no heading\n```\nafter", ["code", "paragraph"]],
  ["~~~\n```\n~~~", ["code"]],
  ["- a\n- b\n\n  more of b\n\nafter", ["list", "paragraph"]],
  ["1. a\n2. b\n- c", ["list", "list"]],
  ["> a\nlazy\n\nafter", ["quote", "paragraph"]],
  ["| a | b |\n|---|:-:|\n| 1 | 2 |\n\nafter", ["table", "paragraph"]],
  ["a\n\n---\n\n* * *\n\nb", ["paragraph", "rule", "rule", "paragraph"]],
  ["text\n- item", ["paragraph", "list"]],
  ["", []],
  ["\n \n", []],
])("parseMarkdown() of the website widget parses %j as blocks of the types %j", (text, expected) => {
  expect(kinds(text)).toEqual(expected);
});

it("parseMarkdown() of the website widget parses an unfinished block while it streams", () => {
  expect(parseMarkdown("```js\nlet a")).toMatchObject([{ type: "code", language: "js", code: "let a" }]);
  expect(kinds("| a | b |\n|")).toEqual(["paragraph"]);
  expect(kinds("| a | b |\n|--")).toEqual(["table"]);
});

it("parseMarkdown() of the website widget keeps the start number and nesting of lists", () => {
  const [list] = parseMarkdown("3. a\n   - b\n     - c\n4. d");
  expect(list).toMatchObject({ type: "list", start: 3, items: [[{ text: "a" }, { type: "list" }], [{ text: "d" }]] });
});

it.each([
  ["```", " ", "`"],
  ["", "~", "`"],
  ["# ", " ", "a\u2028b"],
  ["a|\n-", " ", "x"],
  ["a|\n", " ", "-x"],
])(
  "parseMarkdown() of the website widget takes time proportional to the length of a line that begins with %j, repeats %j and ends with %j",
  async (before, filling, after) => {
    const createText = (length: number) => before + filling.repeat(length) + after;
    expect(await growthFactor(parseMarkdown, createText, 8_000)).toBeLessThan(MAX_GROWTH);
  },
);

it("parseMarkdown() of the website widget splits table cells at unescaped vertical bars", () => {
  expect(parseMarkdown("a | b\n--|--\n1 \\| 2 | 3 | 4")).toMatchObject([
    { columns: ["a", "b"], rows: [["1 | 2", "3"]] },
  ]);
});

it("parseMarkdown() of the website widget returns blocks of the same types as the service for a typical answer", () => {
  const answer = "Hi **you**.\n\n```js\na()\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- x\n- y\n\nBye.";
  const serviceTypes = { paragraph: "text", code: "code", table: "table", list: "list" } as Record<string, string>;
  expect(kinds(answer).map((kind) => serviceTypes[kind])).toEqual(parseBlocks(answer).map(({ type }) => type));
});

it("parseMarkdown() of the website widget loses no character of an answer while it streams and keeps finished blocks unchanged", () => {
  const answer = "One\n\n- a\n- b\n\n```\nc\n```\n\nEnd of it.";
  const whole = parseMarkdown(answer).map(({ source }) => source);
  for (let end = 1; end <= answer.length; end++) {
    const sources = parseMarkdown(answer.slice(0, end)).map(({ source }) => source);
    expect(sources.join("").replace(/\s/g, "")).toBe(answer.slice(0, end).replace(/\s/g, ""));
    expect(whole[0]?.startsWith(sources[0] ?? "?") || sources.length === 0).toBe(true);
  }
});

it.each([">", "- ", "1. ", "> - ", "`", "|", "#", "* ", "~~~\n", "  - ", "|-"])(
  "parseMarkdown() of the website widget ends in limited time for a text that repeats %j",
  (fragment) => {
    expect(JSON.stringify(parseMarkdown(fragment.repeat(3_000))).length).toBeGreaterThan(0);
    expect(JSON.stringify(parseMarkdown(`${fragment}\n`.repeat(3_000))).length).toBeGreaterThan(0);
  },
);

it.each([
  ["https://a.test/x. Then", "https://a.test/x"],
  ["https://a.test/x) and", "https://a.test/x"],
  ["https://a.test/X_(Y) and", "https://a.test/X_(Y)"],
  ["https://a.test/X_(Y)), and", "https://a.test/X_(Y)"],
  ["https://a.test/X_(Y).", "https://a.test/X_(Y)"],
  ["https://a.test/x**", "https://a.test/x"],
  ["mailto:a@b.test?subject=c!", "mailto:a@b.test?subject=c"],
  ["nothing", ""],
])("bareAddress(), which finds the end of a URL in text, returns for %j the URL %j", (text, address) => {
  expect(bareAddress(text)).toBe(address);
});
