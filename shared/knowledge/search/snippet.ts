import type { Language } from "../index/languages.ts";
import { termsOf } from "../index/terms.ts";

/** Longest snippet, in UTF-16 units. */
const longest = 320;

interface Word {
  readonly start: number;
  readonly end: number;
  readonly terms: readonly string[];
}

const ascii = /^[\x20-\x7e]+$/;

/** Tells words that cannot hold any of the terms: most of them, at a fraction of what taking them apart costs. */
function hopeless(terms: Iterable<string>): (word: string) => boolean {
  // A stem keeps the first letter of its words; its language stands before it.
  const letters = new Set(
    [...terms].map((term) => term.replace(/^..:/, "").slice(0, 1)).filter((letter) => /[a-z0-9]/.test(letter)),
  );
  const beginning = letters.size > 0 ? new RegExp(`(?<![a-z0-9])[${[...letters].join("")}]`, "i") : /(?!)/;
  return (word) => ascii.test(word) && !beginning.test(word);
}

/** Where the words of a text stand; runs of a script without spaces are cut so that no word is longer than a snippet. */
function wordsOf(text: string, language: Language, isHopeless: (word: string) => boolean): Word[] {
  return [...text.matchAll(/\S{1,40}/gu)].map(({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
    terms: isHopeless(word) ? [] : termsOf(word, language),
  }));
}

/**
 * The part of a text that says most about a query, verbatim: the window with the heaviest of the query's terms, each
 * counted once, as early as possible.
 * @param weights what each of the query's terms is worth
 * @param language the text's, by whose rules the terms are stems
 */
export function snippetOf(text: string, weights: ReadonlyMap<string, number>, language: Language = "en"): string {
  if (text.length <= longest) return text.trim();
  const words = wordsOf(text, language, hopeless(weights.keys()));
  const inside = new Map<string, number>();
  let value = 0;
  let best = { value: -1, start: 0, end: 0 };
  let first = 0;
  const count = ({ terms }: Word, step: 1 | -1) => {
    for (const term of terms) {
      const weight = weights.get(term);
      if (weight === undefined) continue;
      const before = inside.get(term) ?? 0;
      inside.set(term, before + step);
      if (before === (step === 1 ? 0 : 1)) value += step * weight;
    }
  };
  for (const [last, word] of words.entries()) {
    count(word, 1);
    for (let head = words[first]; head && word.end - head.start > longest && first < last; head = words[++first]) {
      count(head, -1);
    }
    if (value > best.value + 1e-9) best = { value, start: words[first]?.start ?? 0, end: word.end };
  }
  return wholeSentence(text, best);
}

/** Widens a window towards the sentence around it, as far as there is room. */
function wholeSentence(text: string, { start, end }: { start: number; end: number }): string {
  const room = longest - (end - start);
  const before = text.slice(Math.max(0, start - room), start);
  const sentenceStart = Math.max(...["\n", ". ", "! ", "? ", "。"].map((mark) => before.lastIndexOf(mark)));
  const from = sentenceStart >= 0 ? start - before.length + sentenceStart + 1 : start;
  const to = endOfWord(text, Math.min(text.length, from + longest), Math.max(end, from));
  return text.slice(from, to).trim();
}

/** The last end of a word up to `limit`, not before `least`; no character is cut in half. */
function endOfWord(text: string, limit: number, least: number): number {
  if (limit >= text.length) return text.length;
  const tail = text.slice(least, limit);
  const gap = tail.search(/\s\S*$/u);
  if (gap >= 0) return least + gap;
  return /[\udc00-\udfff]/.test(text[limit] ?? "") ? Math.max(least, limit - 1) : limit;
}
