import type { Language } from "../../lib/language/languages.ts";
import { extractTerms } from "../../lib/language/terms.ts";

/** Position of a word in a snippet that matches the query, in UTF-16 code units. */
export interface Highlight {
  readonly start: number;
  readonly end: number;
}

const MAX_HIGHLIGHTS = 50;

/** Returns the positions of words in a snippet that have a term of the query, at most `MAX_HIGHLIGHTS`. */
export function findHighlights(snippet: string, terms: ReadonlySet<string>, language: Language): Highlight[] {
  return [...snippet.matchAll(/[\p{L}\p{N}\p{M}][\p{L}\p{N}\p{M}'’]*/gu)]
    .filter(({ 0: word }) => extractTerms(word, language).some((term) => terms.has(term)))
    .slice(0, MAX_HIGHLIGHTS)
    .map(({ 0: word, index }) => ({ start: index, end: index + word.length }));
}
