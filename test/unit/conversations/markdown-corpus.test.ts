import { parseFragment } from "parse5";
import { expect, it } from "vitest";
import { blocksToMarkdown, parseBlocks } from "#shared/conversations/markdown-blocks.ts";
import { renderSharedPage } from "#shared/conversations/sharing/shared-page.ts";
import { markdownCorpus } from "#test/support/markdown/corpus.ts";
import { normalize, type ParsedNode, tidy } from "#test/support/markdown/normalize.ts";

const at = "2026-11-26T08:00:00.000Z";

/** Returns what a reader of the share page sees of an answer. */
function readShared(markdown: string): string {
  const content = parseBlocks(markdown) as Parameters<typeof renderSharedPage>[0]["messages"][number]["content"];
  const html = renderSharedPage({
    ...{ title: "Shared", shared_at: at, expires_at: at, next_cursor: null },
    messages: [{ role: "assistant", model: null, content, created_at: at }],
  });
  const [, body = ""] = /<\/h2>([\s\S]*)<\/article>/.exec(html) ?? [];
  return tidy(normalize(parseFragment(body) as unknown as ParsedNode));
}

it(`share page shows ${markdownCorpus.length} samples of Markdown as expected`, () => {
  expect(markdownCorpus.length).toBeGreaterThanOrEqual(300);
  const shown = markdownCorpus.map(([kind, markdown]) => [kind, markdown, readShared(markdown)]);
  expect(shown).toEqual(markdownCorpus.map(([kind, markdown, expected]) => [kind, markdown, tidy(expected)]));
});

it("exports and messengers get Markdown that means the same as the model's", () => {
  const read = (markdown: string) => readShared(blocksToMarkdown(parseBlocks(markdown)));
  const shown = markdownCorpus.map(([kind, markdown]) => [kind, markdown, read(markdown)]);
  expect(shown).toEqual(markdownCorpus.map(([kind, markdown, expected]) => [kind, markdown, tidy(expected)]));
});
