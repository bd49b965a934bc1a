import type { Language } from "../../lib/language/languages.ts";
import { extractTerms } from "../../lib/language/terms.ts";

/** Maximum length of a snippet in UTF-16 code units. */
const MAX_SNIPPET_LENGTH = 320;

interface Word {
  readonly start: number;
  readonly end: number;
  readonly terms: readonly string[];
}

const ascii = /^[\x20-\x7e]+$/;

/**
 * Returns a fast check that is true for most words that contain none of the terms, so that these words need not be
 * analyzed.
 */
function createMismatchCheck(terms: Iterable<string>): (word: string) => boolean {
  // Stemming keeps the first letter of a word. Terms of other languages than English have a prefix such as `de:`.
  const letters = new Set(
    [...terms].map((term) => term.replace(/^..:/, "").slice(0, 1)).filter((letter) => /[a-z0-9]/.test(letter)),
  );
  const matchingStart = letters.size > 0 ? new RegExp(`(?<![a-z0-9])[${[...letters].join("")}]`, "i") : /(?!)/;
  return (word) => ascii.test(word) && !matchingStart.test(word);
}

/**
 * Returns the words of a text with their positions and terms. Long runs without spaces are split, so that no word is
 * longer than a snippet.
 */
function locateWords(text: string, language: Language, cannotMatch: (word: string) => boolean): Word[] {
  return [...text.matchAll(/\S{1,40}/gu)].map(({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
    terms: cannotMatch(word) ? [] : extractTerms(word, language),
  }));
}

/**
 * Returns the verbatim part of a text that matches a query best: the first window with the highest total weight of
 * distinct query terms.
 * @param weights weights of the query's terms; a term without a weight does not count
 * @param language language of the text
 */
export function extractSnippet(text: string, weights: ReadonlyMap<string, number>, language: Language = "en"): string {
  if (text.length <= MAX_SNIPPET_LENGTH) return text.trim();
  const words = locateWords(text, language, createMismatchCheck(weights.keys()));
  const countsInWindow = new Map<string, number>();
  let windowWeight = 0;
  let best = { weight: -1, start: 0, end: 0 };
  let firstIndex = 0;
  const count = ({ terms }: Word, step: 1 | -1) => {
    for (const term of terms) {
      const weight = weights.get(term);
      if (weight === undefined) continue;
      const before = countsInWindow.get(term) ?? 0;
      countsInWindow.set(term, before + step);
      if (before === (step === 1 ? 0 : 1)) windowWeight += step * weight;
    }
  };
  for (const [lastIndex, word] of words.entries()) {
    count(word, 1);
    for (let first = words[firstIndex]; first && firstIndex < lastIndex; first = words[++firstIndex]) {
      if (word.end - first.start <= MAX_SNIPPET_LENGTH) break;
      count(first, -1);
    }
    if (windowWeight > best.weight + 1e-9) {
      best = { weight: windowWeight, start: words[firstIndex]?.start ?? 0, end: word.end };
    }
  }
  return extendToSentence(text, best);
}

/** Extends a window to the start of its sentence and beyond its end, within the length limit. */
function extendToSentence(text: string, { start, end }: { start: number; end: number }): string {
  const available = MAX_SNIPPET_LENGTH - (end - start);
  const before = text.slice(Math.max(0, start - available), start);
  const sentenceStart = Math.max(...["\n", ". ", "! ", "? ", "。"].map((mark) => before.lastIndexOf(mark)));
  const from = sentenceStart >= 0 ? start - before.length + sentenceStart + 1 : start;
  const to = findWordEnd(text, Math.min(text.length, from + MAX_SNIPPET_LENGTH), Math.max(end, from));
  return text.slice(from, to).trim();
}

/**
 * Returns the last word end between `min` and `limit`; the length of the text if `limit` reaches it. Without a word
 * end, returns `limit`, or one less where `limit` would split a surrogate pair, but not less than `min`.
 */
function findWordEnd(text: string, limit: number, min: number): number {
  if (limit >= text.length) return text.length;
  const tail = text.slice(min, limit);
  const lastSpace = tail.search(/\s\S*$/u);
  if (lastSpace >= 0) return min + lastSpace;
  return /[\udc00-\udfff]/.test(text[limit] ?? "") ? Math.max(min, limit - 1) : limit;
}
