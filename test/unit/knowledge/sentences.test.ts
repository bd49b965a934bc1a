import { expect, it } from "vitest";
import { compareVectors } from "#shared/knowledge/search/compare-vectors.ts";
import { toCode, toInt8 } from "#shared/knowledge/vectors/quantize.ts";
import { splitSentences } from "#shared/knowledge/vectors/split-sentences.ts";

it("splitSentences() returns the sentences of a text and joins short ones with the next", () => {
  expect(splitSentences("The first sentence ends here. 2. The second one is long enough! ok")).toEqual([
    "The first sentence ends here.",
    "2. The second one is long enough!",
    "ok",
  ]);
  expect(splitSentences("最初の文はここで終わりますので長い。次の文もここで終わりますので長い。")).toHaveLength(2);
});

it("splitSentences() returns nothing for a single sentence", () => {
  expect(splitSentences("There is only one sentence.")).toEqual([]);
  expect(splitSentences("")).toEqual([]);
});

it.each([17, 40, 300])("splitSentences() joins %i sentences into at most 16 parts without losing text", (count) => {
  const sentences = Array.from({ length: count }, (_, number) => `This is sentence number ${number}.`);
  const parts = splitSentences(sentences.join(" "));
  expect(parts.length).toBeLessThanOrEqual(16);
  expect(parts.join(" ")).toBe(sentences.join(" "));
});

const dimensions = 64;
const toUnit = (values: (index: number) => number) => {
  const vector = Float32Array.from({ length: dimensions }, (_, index) => values(index));
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
};
const query = toUnit((index) => Math.sin(index));
const unrelated = toUnit((index) => Math.cos(7 * index));
const entry = (passage: number, score: number) => ({
  key: `tenant#${passage}` as const,
  audience: "tenant" as const,
  passage,
  score,
  scores: [undefined, score] as const,
});
const stored = (passage: number, sentences?: Uint8Array) => ({
  audience: "tenant" as const,
  passage,
  document_id: "d",
  collection_id: "c",
  place: passage,
  headings: "",
  text: "",
  vector: toInt8(unrelated),
  space: "s",
  ...(sentences && { sentences }),
});

it("compareVectors(), which compares found passages with the query exactly, ranks a passage with one similar sentence first, and passages without stored vectors last", () => {
  const near = Buffer.concat([toCode(unrelated), toCode(query)]);
  const ranked = compareVectors(
    [entry(1, 0.9), entry(2, 0.8), entry(3, 0.7)],
    [stored(1), stored(2, near)],
    query,
    "s",
    (_, meaning = 0) => meaning,
  );
  expect(ranked.map(({ passage }) => passage)).toEqual([2, 1, 3]);
  expect(ranked[0]?.similarity).toBeCloseTo(ranked[1]?.similarity ?? 1, 5);
  const scores = ranked.map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
});

it("compareVectors(), which compares found passages with the query exactly, keeps the score of a passage that has no vector yet, so that a good match by words stays first", () => {
  const { vector: _, ...withoutVector } = stored(1);
  const ranked = compareVectors(
    [entry(1, 0.9), entry(2, 0.8), entry(3, 0.7)],
    [withoutVector, stored(2)],
    query,
    "s",
    (_, meaning = 0) => meaning,
  );
  expect(ranked.map(({ passage }) => passage)).toEqual([1, 2, 3]);
  expect(ranked[0]?.score).toBe(0.9);
});

it("compareVectors(), which compares found passages with the query exactly, ignores vectors of another embedding model", () => {
  const ranked = compareVectors([entry(1, 0.9)], [stored(1)], query, "other", (_, meaning = 0) => meaning);
  expect(ranked).toEqual([entry(1, 0.9)]);
});
