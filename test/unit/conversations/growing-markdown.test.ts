import type { Nodes, RootContent } from "mdast";
import { expect, it, vi } from "vitest";
import { GrowingMarkdown } from "#shared/markdown/growing-markdown.ts";
import * as parser from "#shared/markdown/parse-markdown.ts";
import { markdownCorpus } from "#test/support/markdown/corpus.ts";

/** Returns blocks without their positions, which start at the last settled block. */
const withoutPositions = (blocks: readonly RootContent[]) =>
  JSON.parse(JSON.stringify(blocks, (key, value: Nodes) => (key === "position" ? undefined : value)));

const samples = markdownCorpus.map(([, markdown]) => markdown).filter((markdown) => !/\]:/.test(markdown));
/** Samples that follow each other, as blocks of one answer. */
const texts = samples.map((markdown, index) => `${markdown}\n${index % 2 ? "\n" : ""}${samples.at(index - 7)}`);

it("GrowingMarkdown returns the blocks of the whole text, wherever the text was interrupted while it grew", () => {
  expect(texts.length).toBeGreaterThan(300);
  for (const markdown of texts) {
    const growing = new GrowingMarkdown();
    for (let length = 1; length < markdown.length; length += 11) growing.parse(markdown.slice(0, length));
    expect(withoutPositions(growing.parse(markdown)), markdown).toEqual(
      withoutPositions(parser.parseMarkdown(markdown).children),
    );
  }
});

it("GrowingMarkdown parses only the last block of a text that grows", () => {
  const growing = new GrowingMarkdown();
  const paragraphs = Array.from({ length: 50 }, (_, index) => `Paragraph **${index}** of the answer.\n\n`);
  growing.parse(paragraphs.join(""));
  const parse = vi.spyOn(parser, "parseMarkdown");
  const [first] = growing.parse(`${paragraphs.join("")}The end`);
  expect(growing.parse(`${paragraphs.join("")}The end.`)[0]).toBe(first);
  const last = paragraphs.at(-1);
  expect(parse.mock.calls.map(([source]) => source)).toEqual([`${last}The end`, `${last}The end.`]);
});

it("GrowingMarkdown parses a text again that was replaced or whose definitions have changed", () => {
  const growing = new GrowingMarkdown();
  growing.parse("See [the map].\n\nMore");
  const [block] = growing.parse("See [the map].\n\nMore", "[the map]: /map");
  expect(JSON.stringify(block)).toContain("linkReference");
  expect(withoutPositions(growing.parse("Other"))).toEqual(withoutPositions(parser.parseMarkdown("Other").children));
});
