import { describe, expect, it } from "vitest";
import { significance } from "#shared/knowledge/index/bm25.ts";
import { extractTerms, extractWords } from "#shared/knowledge/index/terms.ts";
import { MIN_RELEVANCE, matchWords } from "#shared/knowledge/search/relevance.ts";
import { answerable, answerableQuestions, unanswerable } from "#test/support/knowledge/relevance-set.ts";

const passages = answerable.map(([title, text]) => ({ title, terms: new Set(extractTerms(`${title} ${text}`)) }));

/** Returns the relevance of the best passage, and of the passage with the title. */
function rate(question: string, title?: string): { best: number; expected: number } {
  const weights = new Map(
    extractWords(question, "en").map(({ word, terms }) => {
      const frequency = passages.filter((passage) => terms.some((term) => passage.terms.has(term))).length;
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

describe("minimum relevance of search results", () => {
  it("keeps at least 95 % of the passages that answer a question and drops most others", () => {
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

  it('uses the best sentence of a question and ignores words like "please tell me"', () => {
    const terms = new Set(extractTerms("The lamp was lit in 1874"));
    const rateText = (text: string) => matchWords(text, terms, "en", new Map()).relevance;
    expect(rateText("Hello there! When was the lamp lit?")).toBe(1);
    expect(rateText("Please tell me how long the lamp was lit")).toBe(1);
    expect(rateText("Who won the cup?")).toBe(0);
    expect(rateText("")).toBe(0);
  });

  it("compares words in the language of the passage", () => {
    const terms = new Set(extractTerms("Die Lampe wurde 1874 entzündet", "de"));
    expect(matchWords("Wurde die Lampe denn entzündet?", terms, "de", new Map()).relevance).toBe(1);
  });

  it.each([
    ["en", "How long is the warranty and who pays for the return shipping?", "The warranty lasts two years."],
    [
      "en",
      "How long is the warranty and who pays for the return shipping?",
      "Return shipping is paid by the customer.",
    ],
    ["de", "Wie lange gilt die Garantie und wer zahlt den Rückversand?", "Den Rückversand zahlt der Kunde."],
    ["fr", "Combien dure la garantie légale et qui paie le renvoi du colis?", "Le client paie le renvoi du colis."],
  ] as const)(
    "is reached by the answer to one of two questions in a sentence (%s): %s",
    (language, question, answer) => {
      const terms = new Set(extractTerms(answer, language));
      expect(matchWords(question, terms, language, new Map()).relevance).toBeGreaterThanOrEqual(MIN_RELEVANCE);
    },
  );

  it("is not reached by one of two words that a conjunction joins", () => {
    const terms = new Set(extractTerms("The hotels in Lisbon are full.", "en"));
    const { relevance } = matchWords("Which department pays for flights and hotels?", terms, "en", new Map());
    expect(relevance).toBeLessThan(MIN_RELEVANCE);
  });
});
