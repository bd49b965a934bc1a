import { expect, it } from "vitest";
import { extractFile } from "#shared/files/extract-file.ts";
import type { Segment } from "#shared/files/segments/segments.ts";
import { newTextDocument } from "#shared/knowledge/document-store.ts";
import { toPassageSegments } from "#shared/knowledge/index/passage-segments.ts";
import { splitSegments } from "#shared/knowledge/indexing/split-into-passages.ts";
import { toHit } from "#shared/knowledge/search/knowledge-hit.ts";
import { QueryMatcher } from "#shared/knowledge/search/relevance.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { createDocx, createOdf, docxParagraph } from "#test/support/knowledge/sample-files.ts";

const split = (segments: readonly Segment[]) =>
  splitSegments(segments).map((passage) => toPassageSegments(passage).map((each) => ({ ...each, text: passage.text })));
const startOf = (passages: ReturnType<typeof split>, words: string) =>
  passages.flat().findLast(({ start, text }) => start <= text.indexOf(words) && text.includes(words));

it("segments of a passage name the page and the headings of each part of its text", () => {
  const [segments] = split([
    { kind: "heading", level: 1, title: "Guide", text: "Guide", page: 1 },
    { kind: "text", text: "One.", page: 1 },
    { kind: "heading", level: 2, title: "Harbor", text: "Harbor", page: 2 },
    { kind: "text", text: "Two.", page: 3 },
  ]);
  expect(segments?.map(({ start, page, heading, text }) => [text.slice(start, start + 4), page, heading])).toEqual([
    ["Guid", 1, "Guide"],
    ["Harb", 2, "Guide › Harbor"],
    ["Two.", 3, "Guide › Harbor"],
  ]);
});

it("segments of a passage name the pages of a paragraph that spans several pages, also if the paragraph is split", () => {
  const sentences = Array.from({ length: 120 }, (_, number) => `This is the sentence number ${number} of it. `);
  const text = sentences.join("");
  const pageBreaks = [30, 60, 90].map((number) => text.indexOf(`This is the sentence number ${number} `));
  const passages = split([{ kind: "text", text: text.trim(), page: 4, pageBreaks }]);
  expect(passages.length).toBeGreaterThan(2);
  for (const number of [0, 29, 30, 59, 60, 89, 90, 119]) {
    expect(startOf(passages, `number ${number} `)?.page, `sentence ${number}`).toBe(4 + Math.floor(number / 30));
  }
});

it("segments of a passage name the page of the text that a passage repeats from the previous passage", () => {
  const passages = split([
    { kind: "text", text: `${"First words. ".repeat(140)}The end of page one.`, page: 1 },
    { kind: "text", text: "Page two. ".repeat(40), page: 2 },
  ]);
  expect(passages[1]?.map(({ start, page, text }) => [text.slice(start, start + 8), page])).toEqual([
    [expect.any(String), 1],
    ["Page two", 2],
  ]);
});

it("page of a passage is the page of its first words, also in a paragraph over several pages and after repeated sentences", () => {
  const sentences = Array.from({ length: 120 }, (_, number) => `This is the sentence number ${number} of it. `);
  const text = sentences.join("");
  const pageBreaks = [text.indexOf("This is the sentence number 45 ")];
  const passages = splitSegments([
    { kind: "text", text: text.trim(), page: 1, pageBreaks },
    { kind: "text", text: "The crab walks on page three. ".repeat(60), page: 3 },
  ]);
  const numberAt = (start: string) => Number(/number (\d+)/.exec(start)?.[1]);
  const starts = passages.map((passage) => [numberAt(passage.text), passage.page]);
  expect(starts.length).toBeGreaterThan(3);
  for (const [number = 0, page] of starts) expect(page, `sentence ${number}`).toBe(number < 45 ? 1 : 2);
  expect(passages.at(-1)?.text).toContain("page three");
});

it("segments of a passage are limited in number", () => {
  const headings = Array.from({ length: 300 }, (_, number): Segment[] => [
    { kind: "heading", level: 1, title: String(number), text: "#" },
  ]).flat();
  for (const passage of splitSegments(headings)) expect(JSON.stringify(passage).length).toBeLessThan(3_000);
});

it("segments of a passage name the pages of a Word paragraph and table that span two pages", async () => {
  const cell = (text: string) => `<w:tc>${docxParagraph(text)}</w:tc>`;
  const nextPage = "<w:r><w:lastRenderedPageBreak/><w:t>Next page.</w:t></w:r>";
  const file = createDocx(
    `<w:p><w:r><w:t>First page. </w:t></w:r>${nextPage}</w:p>` +
      `<w:tbl><w:tr>${cell("Name")}</w:tr><w:tr>${cell("Crab")}</w:tr><w:tr><w:tc><w:p>${nextPage}</w:p></w:tc></w:tr></w:tbl>`,
  );
  const { segments } = await extractFile(file, "docx");
  const passages = split(segments);
  expect(["First", "Next", "Crab"].map((words) => startOf(passages, words)?.page)).toEqual([1, 2, 2]);
  const [passage = []] = passages;
  expect(passage.at(-1)).toMatchObject({ page: 3, start: passage[0]?.text.lastIndexOf("| Name |") });
});

it("segments of a passage name the pages of an OpenDocument paragraph that spans two pages", async () => {
  const file = createOdf("odt", "<text:p>First  page. <text:soft-page-break/>Next page.</text:p>");
  const { segments } = await extractFile(file, "odt");
  const passages = split(segments);
  expect(["First", "Next"].map((words) => startOf(passages, words)?.page)).toEqual([1, 2]);
});

/** Returns the search result for a passage of a document of a collection. */
function hitOf(
  passage: ReturnType<typeof splitSegments>[number] | undefined,
  question: string,
  collection = { instructions: "", max_age_days: null as number | null },
  added_at = timestamp(),
) {
  const fields = { title: "Guide", media_type: "text/plain", uri: null, metadata: {}, source: null } as const;
  const placement = { audience: "tenant", first: 0, count: 1, length: 1, language: "en", version: 1 } as const;
  return toHit(question, new QueryMatcher([], { weights: new Map(), averageLength: 1 }), {
    ranked: { key: "tenant#0", audience: "tenant", passage: 0, score: 1, scores: [1, undefined] },
    passage: { headings: "", text: "", ...passage, passage: 0, place: 0, document_id: "d", collection_id: "c" },
    document: {
      ...newTextDocument("c", "u", "", fields),
      placement: { ...placement, title: "Guide", added_at, indexed: 1 },
      collection,
    },
  });
}

it("search result names the page and the headings of its snippet, not those of the beginning of its passage", () => {
  const filler = "The ferry leaves every hour from the eastern pier. ".repeat(7);
  const [passage] = splitSegments([
    { kind: "heading", level: 1, title: "Guide", text: "Guide", page: 1 },
    { kind: "text", text: filler, page: 1 },
    { kind: "heading", level: 2, title: "Kiln", text: "Kiln", page: 2 },
    { kind: "text", text: "The kiln is fired on Fridays.", page: 2 },
  ]);
  expect(hitOf(passage, "When is the kiln fired?")).toMatchObject({ page: 2, heading: "Guide › Kiln" });
});

it("search result is outdated from the age on that its collection permits, and has the date of its version", () => {
  const [passage] = splitSegments([{ kind: "text", text: "The kiln is fired on Fridays." }]);
  const hitOfAge = (days: number, max_age_days: number | null) =>
    hitOf(passage, "kiln", { instructions: "", max_age_days }, new Date(Date.now() - days * 86_400_000).toISOString());
  expect([hitOfAge(29.9, 30), hitOfAge(30, 30), hitOfAge(3_000, null)].map((hit) => hit.is_outdated)).toEqual([
    false,
    true,
    false,
  ]);
  expect(hitOf(passage, "kiln", undefined, "2024-03-01T10:00:00.000Z").updated_at).toBe("2024-03-01T10:00:00.000Z");
  expect(hitOf(passage, "kiln", { instructions: "Quote.", max_age_days: null }).instructions).toBe("Quote.");
});
