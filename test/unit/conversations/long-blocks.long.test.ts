import { expect, it } from "vitest";
import { blocksToMarkdown, parseBlocks } from "#shared/conversations/markdown-blocks.ts";
import { renderSharedPage } from "#shared/conversations/sharing/shared-page.ts";
import { growthFactor, MAX_GROWTH } from "#test/support/growth/growth.ts";

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
    const messages = [{ role: "assistant" as const, model: null, content, created_at: at }];
    const page = renderSharedPage({ title: "x", messages, shared_at: at, expires_at: at, next_cursor: null });
    expect(page.length).toBeGreaterThan(text.length / 4);
  },
);
