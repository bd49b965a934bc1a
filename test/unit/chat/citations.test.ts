import { expect, it } from "vitest";
import { citedSources, maskReferences, toCitationBlocks } from "#shared/chat/citations.ts";
import { parseBlocks } from "#shared/conversations/markdown-blocks.ts";
import type { Segment } from "#shared/files/segments/segments.ts";
import { toPassageSegments } from "#shared/knowledge/index/passage-segments.ts";
import { splitSegments } from "#shared/knowledge/indexing/split-into-passages.ts";
import type { KnowledgeHit } from "#shared/knowledge/search/knowledge-hit.ts";

const museum: Segment[] = [
  { kind: "heading", level: 1, title: "Museum", text: "Museum", page: 1 },
  { kind: "text", text: "The museum shows the life of the fishermen. It has three rooms.", page: 1 },
  { kind: "heading", level: 2, title: "Opening hours", text: "Opening hours", page: 2 },
  { kind: "text", text: "The reading room opens at nine in the morning. On Sundays it stays closed.", page: 2 },
  { kind: "heading", level: 2, title: "The lamp", text: "The lamp", page: 3 },
  {
    kind: "text",
    text: "Dr. Ole Hansen lit the lamp for the first time in 1874. It burned 1,250 liters of oil a year.",
    page: 3,
  },
  { kind: "heading", level: 2, title: "Prices", text: "Prices", page: 4 },
  {
    kind: "table",
    rows: [
      ["Visitor", "Price"],
      ["Adult", "5 euros"],
      ["Child", "2 euros"],
    ],
    page: 4,
  },
];

/** Returns the only passage of a document as a search returns it. */
function findHit(segments: readonly Segment[] = museum, change: Partial<KnowledgeHit> = {}): KnowledgeHit {
  const [passage, ...others] = splitSegments(segments);
  expect(others).toEqual([]);
  const { text = "", headings = "", page } = passage ?? {};
  return {
    document_id: "document",
    chunk_id: "document.0",
    passage: 0,
    page: page ?? null,
    heading: headings || null,
    collection_id: "collection",
    title: "Museum",
    uri: null,
    metadata: {},
    language: "en",
    snippet: text.slice(0, 60),
    highlights: [],
    matched_terms: [],
    relevance: 1,
    score: 1,
    scores: { words: 1, meaning: null, fused: 1, rerank: null },
    text,
    ...(passage && { segments: toPassageSegments(passage) }),
    ...change,
  };
}

function cite(answer: string, sources: readonly KnowledgeHit[] = [findHit()]) {
  return toCitationBlocks(answer, parseBlocks(answer), sources).flatMap((block) =>
    block.type === "citation" ? [block] : [],
  );
}

it.each([
  ["before the full stop", "It opens on no Sunday [1]."],
  ["after the full stop", "There are rooms. It opens on no Sunday. [1] There is a lamp."],
  ["at the start of a sentence", "[1] says that it opens on no Sunday."],
  ["in a list item", "- Three rooms\n- Sunday: no opening [1]"],
  ["in a row of a table", "| Day | Open |\n| --- | --- |\n| Sunday | closed [1] |"],
  ["between other words", "According to [1], it opens on no Sunday."],
])("toCitationBlocks() quotes the sentence of the claim with its page and headings for a reference %s", (_, answer) => {
  expect(cite(answer)).toMatchObject([
    { index: 1, quote: "On Sundays it stays closed.", page: 2, heading: "Museum › Opening hours" },
  ]);
});

it("toCitationBlocks() finds the sentence for a claim in another language by the number and the name in the claim", () => {
  expect(cite("Ole Hansen hat sie 1874 zuerst entzündet [1].")).toMatchObject([
    { quote: "Dr. Ole Hansen lit the lamp for the first time in 1874.", page: 3, heading: "Museum › The lamp" },
  ]);
  expect(cite("Im Jahr waren es 1.250 Liter [1].")[0]?.quote).toBe("It burned 1,250 liters of oil a year.");
});

it("toCitationBlocks() finds the sentence with 1,250 for a claim that writes 1250", () => {
  const text = "Hall 1 of the museum has 250 seats. The lamp burned 1,250 liters in a year.";
  expect(cite("Es waren 1250 [1].", [findHit([{ kind: "text", text }])])[0]?.quote).toBe(
    "The lamp burned 1,250 liters in a year.",
  );
});

it.each([
  ["question", "How fast are travel expenses reimbursed? ", "Within ten working days."],
  ["lead-in", "Travel expenses are reimbursed as follows:\n\n", "The accounts office pays within ten working days."],
])("toCitationBlocks() quotes the answer after a %s that has the words of the claim", (_, first, second) => {
  const text = `The desk is on floor two. ${first}${second} Ask for Ms. Lind.`;
  const answer = "Travel expenses are reimbursed fast [1].";
  expect(cite(answer, [findHit([{ kind: "text", text }])])[0]?.quote).toBe(`${first}${second}`);
});

it("toCitationBlocks() quotes the row of a table", () => {
  expect(cite("Children pay 2 euros [1].")).toMatchObject([
    { quote: "| Child | 2 euros |", page: 4, heading: "Museum › Prices" },
  ]);
});

it("toCitationBlocks() has a quote for each claim if several claims refer to the same source", () => {
  const [citation] = cite("The lamp was lit in 1874 [1]. It is closed on Sundays [1]. Hansen lit it in 1874. [1]");
  expect(citation?.quote).toBe("Dr. Ole Hansen lit the lamp for the first time in 1874.");
  expect(citation?.quotes).toEqual([
    { quote: citation?.quote, page: 3, heading: "Museum › The lamp", references: [0, 2] },
    { quote: "On Sundays it stays closed.", page: 2, heading: "Museum › Opening hours", references: [1] },
  ]);
});

it("toCitationBlocks() quotes for each of several references in a sentence what supports the words before the reference", () => {
  const copy = findHit(museum, { chunk_id: "copy.0" });
  const quotes = cite("It stays closed on Sundays [1], and Hansen lit the lamp in 1874 [2].", [findHit(), copy]);
  expect(quotes.map(({ quote }) => quote)).toEqual([
    "On Sundays it stays closed.",
    "Dr. Ole Hansen lit the lamp for the first time in 1874.",
  ]);
});

it("toCitationBlocks() quotes the snippet of the search if the claim shares no word with the source", () => {
  const hit = findHit();
  const snippet = "It burned 1,250 liters of oil a year.";
  expect(cite("Zweifellos [1].", [{ ...hit, snippet }])).toMatchObject([{ quote: snippet, page: 3 }]);
});

it("toCitationBlocks() quotes nothing from a redacted passage", () => {
  expect(cite("It stays closed on Sundays [1].", [findHit(museum, { snippet: "" })])[0]?.quote).toBe("");
});

it("toCitationBlocks() keeps the page of a passage that was stored without segments", () => {
  const { segments, ...stored } = findHit();
  expect(cite("The lamp was lit in 1874 [1].", [stored])).toMatchObject([
    { quote: "Dr. Ole Hansen lit the lamp for the first time in 1874.", page: 1, heading: "Museum" },
  ]);
});

it("toCitationBlocks() cites the references in the text, not those in code or links, in the order of `quotes`", () => {
  const [citation] = cite("`list[1]` and [1](https://example.com): closed on Sundays [1]. Lit in 1874 [1].");
  expect(citation?.quotes?.map(({ references }) => references)).toEqual([[0], [1]]);
});

it("maskReferences() keeps numbers in brackets of a source from becoming citations, and quotes have them", () => {
  const text = "The lamp was lit [2] in 1874.";
  const sources = [findHit([{ kind: "text", text, page: 1 }]), findHit()];
  const answer = `${maskReferences(text)} [1]`;
  expect(citedSources(answer, sources)).toEqual(sources.slice(0, 1));
  expect(toCitationBlocks(answer, parseBlocks(answer), sources)).toMatchObject([{ index: 1, quote: text }]);
});
