import { type Language, rulesOf, stemByScript } from "./languages.ts";

/** Longest term that is told apart, in UTF-16 units: of longer words only the beginning counts. */
const longestTerm = 64;

/**
 * What a text is made of: runs of scripts that are written without spaces, words, pictographs. Scripts that join
 * syllables without spaces but are not cut into pairs (Thai and its neighbours) are left to a dictionary.
 */
const pieces =
  /(?<paired>[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u30fc]+)|(?<joined>[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+)|(?<word>[[\p{L}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]][[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]*(?:'\p{L}+)*)|(?<pictograph>\p{Extended_Pictographic})/gv;

/** Accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of Arabic and its tatweel: often left out in writing. */
const optionalMarks = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u0670]/g;

/** A text with compatibility forms united, in lower case. */
const unified = (text: string) => text.normalize("NFKC").toLowerCase().replaceAll("’", "'");

const ascii = /^[\x20-\x7e]*$/;

/** A word as it is compared: without what writers leave out. */
function folded(word: string): string {
  if (ascii.test(word)) return word;
  return word.normalize("NFD").replace(optionalMarks, "").normalize("NFC").replaceAll("ß", "ss").replaceAll("ı", "i");
}

const segmenter = new Intl.Segmenter("th", { granularity: "word" });

const latin = /^\p{sc=Latin}/u;

/** Stems of other languages than English carry its name, so that they never meet a word that only looks the same. */
const named = (language: Language, term: string) => (language === "en" ? term : `${language}:${term}`);

function wordTerm(word: string, language: Language): string | null {
  const { stopWords, stem } = rulesOf(language);
  if (stopWords.has(word)) return null;
  const bare = word.replace(/'s$/, "");
  if (bare === "" || stopWords.has(bare)) return null;
  // Marks on marks must not take the place of letters.
  const cut = (bare.length > longestTerm ? folded(bare) : bare).slice(0, longestTerm);
  if (!latin.test(cut)) return folded(stemByScript(cut));
  return named(language, folded(stem(cut)).replaceAll("'", ""));
}

/** Neighbouring characters in pairs; a character on its own stands for itself. */
function pairs(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** A word, or what takes its place in other scripts, and the terms it stands for. */
interface Word {
  readonly word: string;
  readonly terms: readonly string[];
}

/** The words of a text in their order, without stop words. */
export function wordsOf(text: string, language: Language): Word[] {
  const words: Word[] = [];
  for (const { groups } of unified(text).matchAll(pieces)) {
    const { paired, joined, word, pictograph } = groups ?? {};
    if (word !== undefined) {
      const term = wordTerm(word, language);
      if (term !== null) words.push({ word, terms: [term] });
    } else if (paired !== undefined) {
      words.push({ word: paired, terms: pairs(paired) });
    } else if (joined !== undefined) {
      for (const { segment, isWordLike } of segmenter.segment(joined)) {
        if (isWordLike) words.push({ word: segment, terms: [segment.slice(0, longestTerm)] });
      }
    } else if (pictograph !== undefined) {
      words.push({ word: pictograph, terms: [pictograph] });
    }
  }
  return words;
}

/**
 * The terms of a text in their order, for indexing and for searching alike: words of every script, folded (case,
 * accents, compatibility forms), stemmed (Snowball) and without stop words; Chinese, Japanese and Korean as pairs of
 * characters; Thai, Lao, Khmer and Burmese cut into words by Unicode's dictionaries; emoji as they are.
 * @see https://snowballstem.org/algorithms/
 */
export function termsOf(text: string, language: Language = "en"): string[] {
  return wordsOf(text, language).flatMap(({ terms }) => terms);
}

/** How often each term occurs. */
export function countsOf(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
