import { detectLanguage } from "../../../shared/lib/language/languages.ts";
import { extractTerms } from "../../../shared/lib/language/terms.ts";
import type { Quotable } from "./prompt.ts";

/** Maximum number of sentences that an answer quotes, and the maximum length of each in characters. */
const [MAX_QUOTES, MAX_CHARACTERS] = [4, 600];

interface Quote {
  readonly sentence: string;
  readonly source: Quotable;
}

/** Removes Markdown syntax from a line. Returns an empty text for headings and the delimiter rows of tables. */
function toSentenceText(line: string): string {
  if (/^(?:#{1,6}\s|[|:\s-]+$)/.test(line.trimStart())) return "";
  const cells = /^\s*\|(.*)\|\s*$/.exec(line)?.[1]?.split("|");
  const text = cells ? cells.map((cell) => cell.trim()).join(", ") : line;
  return text
    .replace(/^\s*(?:[-*+>]|\d{1,9}[.)])\s+/, "")
    .replace(/(\*\*|__|`)(.+?)\1/g, "$2")
    .trim();
}

/** Returns the sentences of a source that are short enough to quote. */
const toSentences = ({ text }: Quotable): string[] =>
  text
    .split("\n")
    .map(toSentenceText)
    .flatMap((line) => line.split(/(?<=[.!?])\s+|(?<=[。！？])/))
    .filter((sentence) => sentence.length > 1 && sentence.length < MAX_CHARACTERS);

function toTerms(text: string): ReadonlySet<string> {
  return new Set([...extractTerms(text), ...extractTerms(text, detectLanguage(text))]);
}

const countShared = (terms: ReadonlySet<string>, text: string): number => {
  const own = [...toTerms(text)];
  return own.filter((term) => terms.has(term)).length;
};

/** Returns up to four sentences that share terms with the question, best first. Among equals, earlier sources come first. */
export function findQuotes(question: string, sources: readonly Quotable[]): Quote[] {
  const terms = toTerms(question);
  return sources
    .flatMap((source) => toSentences(source).map((sentence) => ({ source, sentence })))
    .map((quote) => ({
      ...quote,
      score: countShared(terms, quote.sentence) / Math.sqrt(1 + quote.sentence.length / 200),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_QUOTES);
}

/**
 * Returns the first sentences of the source whose title shares most terms with the question, or of the best source: a summary,
 * and the closest passage for a question in another language.
 */
export function findBeginning(question: string, sources: readonly Quotable[]): Quote[] {
  const terms = toTerms(question);
  const [best] = sources.toSorted((a, b) => countShared(terms, b.title) - countShared(terms, a.title));
  const passages = sources.filter(({ title }) => title === best?.title);
  const sentences = passages.map((source) => toSentences(source).map((sentence) => ({ source, sentence })));
  const perPassage = Math.max(1, Math.floor(MAX_QUOTES / passages.length));
  return sentences.flatMap((ofPassage) => ofPassage.slice(0, perPassage)).slice(0, MAX_QUOTES);
}
