import { type Language, languages } from "../../lib/language/languages.ts";
import { extractWords } from "../../lib/language/terms.ts";
import type { IndexStatistics } from "./passage-store.ts";

/** Maximum number of distinct terms of a query. With it, terms and statistics of two audiences fit into one batch read of 100 keys. */
const MAX_QUERY_TERMS = 48;
/**
 * Weight of the spelling without marks of a word that the query has with marks (`Word.isMarked`). Many other words have the
 * same spelling.
 */
const UNMARKED_WEIGHT = 0.05;

/** Maximum number of languages other than English for which a query is stemmed. */
const MAX_FURTHER_LANGUAGES = 4;

export interface QueryTerm {
  readonly term: string;
  /** Word from which the term was derived. It has different terms in other languages. */
  readonly word: string;
  /** Number of occurrences in the query; less for a spelling without marks. */
  readonly count: number;
}

/** Text of a query with its context, latest first (`IndexQuery`). */
type QueryTexts = readonly [text: string, ...context: string[]];

/** Returns the terms of a query for passages in one language, at most `MAX_QUERY_TERMS`. */
export function toQueryTerms(texts: QueryTexts, language: Language): QueryTerm[] {
  const words = texts.flatMap((text, distance) =>
    extractWords(text, language).flatMap(({ word, terms, isMarked }) =>
      terms.map((term, index) => ({
        term,
        word: terms.length > 1 ? term : word,
        count: (isMarked && index > 0 ? UNMARKED_WEIGHT : 1) / 2 ** distance,
      })),
    ),
  );
  return [...Map.groupBy(words, ({ term }) => term)].slice(0, MAX_QUERY_TERMS).map(([term, occurrences]) => ({
    term,
    word: occurrences[0]?.word ?? term,
    count: occurrences.reduce((sum, { count }) => sum + count, 0),
  }));
}

export const countPassages = (statistics: readonly IndexStatistics[], language: Language) =>
  statistics.reduce((sum, { byLanguage }) => sum + (byLanguage[language] ?? 0), 0);

/** Returns the most frequent languages of the passages other than English. */
export function getFurtherLanguages(statistics: readonly IndexStatistics[]): Language[] {
  return languages
    .filter((language) => language !== "en" && countPassages(statistics, language) > 0)
    .sort((a, b) => countPassages(statistics, b) - countPassages(statistics, a))
    .slice(0, MAX_FURTHER_LANGUAGES);
}

/** Returns the distinct terms of a query in English and in further languages. */
export function toTermsOfLanguages(texts: QueryTexts, furtherLanguages: readonly Language[]): QueryTerm[] {
  const terms = (["en", ...furtherLanguages] as const).flatMap((language) => toQueryTerms(texts, language));
  return [...Map.groupBy(terms, ({ term }) => term).values()].flatMap(([first]) => first ?? []);
}
