import { expect, it } from "vitest";
import { significance } from "#shared/knowledge/index/bm25.ts";
import { MIN_RELEVANCE, QueryMatcher } from "#shared/knowledge/search/relevance.ts";
import type { Language } from "#shared/lib/language/languages.ts";
import { extractTerms, extractWords } from "#shared/lib/language/terms.ts";
import { answerable, answerableQuestions, unanswerable } from "#test/support/knowledge/relevance-set.ts";

const toPassageTerms = (text: string, language: Language = "en", title = "") => ({
  title: new Set(extractTerms(title, language)),
  text: extractTerms(text, language),
});

const matchWords = (
  text: string,
  passage: ReturnType<typeof toPassageTerms>,
  language: Language,
  weights: ReadonlyMap<string, number>,
) => new QueryMatcher([text], { weights, averageLength: 20 }).match(passage, language);

const passages = answerable.map(([title, text]) => ({
  title,
  terms: toPassageTerms(text, "en", title),
  all: new Set(extractTerms(`${title} ${text}`)),
}));

/** Returns the relevance of the best passage, and of the passage with the title. */
function rate(question: string, title?: string): { best: number; expected: number } {
  const weights = new Map(
    extractWords(question, "en").map(({ word, terms }) => {
      const frequency = passages.filter((passage) => terms.some((term) => passage.all.has(term))).length;
      return [word, significance({ passages: passages.length, length: 0 }, frequency)];
    }),
  );
  const rated = passages.map((passage) => ({
    title: passage.title,
    relevance: matchWords(question, passage.terms, "en", weights).relevance,
  }));
  return {
    best: Math.max(...rated.map(({ relevance }) => relevance)),
    expected: rated.find((passage) => passage.title === title)?.relevance ?? 0,
  };
}

it("minimum relevance of search results keeps at least 95 % of the passages that answer a question and drops most others", () => {
  const found = answerableQuestions.filter(({ question, title }) => rate(question, title).expected >= MIN_RELEVANCE);
  const misled = unanswerable.filter((question) => rate(question).best >= MIN_RELEVANCE);
  const foundShare = found.length / answerableQuestions.length;
  const misledShare = misled.length / unanswerable.length;
  console.info(`answerable kept: ${100 * foundShare} %, unanswerable not refused: ${100 * misledShare} %`);
  expect(answerableQuestions.length).toBe(200);
  expect(unanswerable.length).toBe(200);
  expect(foundShare).toBeGreaterThanOrEqual(0.95);
  expect(misledShare).toBeLessThanOrEqual(0.08);
});

it('minimum relevance of search results uses the best sentence of a question and ignores words like "please tell me"', () => {
  const terms = toPassageTerms("The lamp was lit in 1874");
  const rateText = (text: string) => matchWords(text, terms, "en", new Map()).relevance;
  expect(rateText("Hello there! When was the lamp lit?")).toBeGreaterThan(MIN_RELEVANCE);
  expect(rateText("Please tell me how long the lamp was lit")).toBe(1);
  expect(rateText("Who won the cup?")).toBe(0);
  expect(rateText("")).toBe(0);
});

it("minimum relevance of search results compares words in the language of the passage", () => {
  const terms = toPassageTerms("Die Lampe wurde 1874 entzündet", "de");
  expect(matchWords("Wurde die Lampe denn entzündet?", terms, "de", new Map()).relevance).toBe(1);
});

it.each([
  ["en", "How long is the warranty and who pays for the return shipping?", "The warranty lasts two years."],
  ["en", "How long is the warranty and who pays for the return shipping?", "Return shipping is paid by the customer."],
  ["de", "Wie lange gilt die Garantie und wer zahlt den Rückversand?", "Den Rückversand zahlt der Kunde."],
  ["fr", "Combien dure la garantie légale et qui paie le renvoi du colis?", "Le client paie le renvoi du colis."],
] as const)(
  "minimum relevance of search results is reached by the answer to one of two questions in a sentence (%s): %s",
  (language, question, answer) => {
    const terms = toPassageTerms(answer, language);
    expect(matchWords(question, terms, language, new Map()).relevance).toBeGreaterThanOrEqual(MIN_RELEVANCE);
  },
);

it("minimum relevance of search results is not reached by a passage with only one of two words that a conjunction joins", () => {
  const terms = toPassageTerms("The hotels in Lisbon are full.", "en");
  const { relevance } = matchWords("Which department pays for flights and hotels?", terms, "en", new Map());
  expect(relevance).toBeLessThan(MIN_RELEVANCE);
});

it.each([
  ["There are other categories for what?", "Tickets have three categories: standard, reduced and group."],
  ["In what year was the first map of the U.S. produced?", "Cells of the marrow are produced in four stages."],
  ["What is one of the largest and most modern clinics in Europe?", "One of the largest halls is in the east wing."],
  ["What did Mitsubishi rename the model to?", "The team renamed the model to Otter in May."],
  [
    "Who founded the harbor school for sailors?",
    ["The school opens at eight.", "Sailors rent boats.", "The harbor is dredged in May."].join(
      " Breakfast is served in the hall with bread, cheese, jam, eggs, fruit, coffee, tea and orange juice. ",
    ),
  ],
])(
  "minimum relevance of search results is not reached by words of an outside question that say little: %s",
  (question, text) => {
    const weights = new Map(extractWords(text, "en").map(({ word }) => [word, 2.5]));
    const { relevance } = matchWords(question, toPassageTerms(text), "en", weights);
    expect(relevance).toBeLessThan(MIN_RELEVANCE);
  },
);

it("minimum relevance of search results is reached by a passage whose title contains the generic word of the question", () => {
  const terms = toPassageTerms("Standard, reduced and group.", "en", "Ticket categories");
  expect(matchWords("Which categories are there?", terms, "en", new Map()).relevance).toBeGreaterThan(MIN_RELEVANCE);
});

it("minimum relevance of search results, but not full relevance, is reached by a passage with a single word that is not rare", () => {
  const { relevance } = matchWords(
    "How long is the warranty?",
    toPassageTerms("The warranty covers two years."),
    "en",
    new Map([["warranty", 1.6]]),
  );
  expect(relevance).toBeGreaterThan(MIN_RELEVANCE);
  expect(relevance).toBeLessThan(1);
});
