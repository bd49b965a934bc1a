import { expect, it } from "vitest";
import { findFilePassages } from "#shared/chat/context/file-passages.ts";
import type { Segment } from "#shared/files/segments/segments.ts";
import { findPageStarts, toMarkdown } from "#shared/files/segments/to-markdown.ts";
import { findSegment } from "#shared/knowledge/index/passage-segments.ts";

const repeat = (sentence: string, times: number) => Array.from({ length: times }, () => sentence).join(" ");

it("pages of a file start where the text of their first segment or page break is", () => {
  const segments: Segment[] = [
    { kind: "heading", level: 1, title: "Harbor", text: "Harbor", page: 1 },
    { kind: "text", text: "One. Two. Three.", page: 1, pageBreaks: [5, 10] },
    { kind: "table", rows: [["Name"], ["Crab"]], page: 3 },
    { kind: "text", text: "Five.", page: 5 },
  ];
  const text = toMarkdown(segments);
  const starts = ["# Harbor", "Two.", "Three.", "Five.", "Five."].map((start) => text.indexOf(start));
  expect(findPageStarts(segments)).toEqual(starts);
  expect(findPageStarts([{ kind: "text", text: "No pages." }])).toEqual([]);
});

it("passage of an attached file names the page of each part of its text", () => {
  const segments: Segment[] = [1, 2, 3].map((page) => ({
    kind: "text",
    text: repeat(`The crab walks on page ${page}.`, 20),
    page,
  }));
  const text = toMarkdown(segments);
  const file = { id: "f", file_name: "crabs.pdf", text, pageStarts: findPageStarts(segments), shownCharacters: 100 };
  const hits = findFilePassages([file], "Where does the crab walk?", 6);
  expect(hits.length).toBeGreaterThan(0);
  for (const hit of hits) {
    expect(hit.page).toBe(hit.segments?.[0]?.page);
    for (const { index, 1: page } of hit.text.matchAll(/page (\d)\./g)) {
      expect(findSegment(hit.segments ?? [], index)?.page, `${hit.passage}, ${index}`).toBe(Number(page));
    }
  }
  expect(new Set(hits.flatMap(({ segments }) => segments?.map(({ page }) => page)))).toEqual(new Set([1, 2, 3]));
  const [unpaged] = findFilePassages([{ ...file, pageStarts: [] }], "Where does the crab walk?", 6);
  expect(unpaged).toMatchObject({ page: null, segments: [{ start: 0, page: null }] });
});
