import { lazily } from "../lazily.ts";
import { getLanguageRules, type Language, stemByScript } from "./languages.ts";

/** Length limit of a term in UTF-16 code units; longer words are truncated. */
const MAX_TERM_LENGTH = 64;

/**
 * Tokens of a text: runs of Chinese, Japanese and Korean characters (`paired`, indexed as bigrams), runs of Southeast Asian
 * scripts without spaces (`joined`, segmented with a dictionary), words of other scripts, and pictographs.
 */
const tokens =
  /(?<paired>[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u30fc]+)|(?<joined>[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+)|(?<word>[[\p{L}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]][[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]*(?:'\p{L}+)*)|(?<pictograph>\p{Extended_Pictographic})/gv;

/** Marks that writers often omit: Latin, Greek and Cyrillic accents, Hebrew points, Arabic vowels and tatweel. */
const optionalMarks = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u0670]/g;

/** Normalizes compatibility forms, case and apostrophes. The small letter of a Turkish `I` has no dot: `SINIR`, `sınır`. */
function normalize(text: string, language: Language): string {
  const compatible = text.normalize("NFKC").replaceAll("’", "'");
  return language === "tr" ? compatible.toLocaleLowerCase("tr") : compatible.toLowerCase();
}

const ascii = /^[\x20-\x7e]*$/;

/** Folds a word: removes optional marks and expands letters that have a common replacement, so that all spellings match. */
export function fold(word: string): string {
  if (ascii.test(word)) return word;
  return word.normalize("NFD").replace(optionalMarks, "").normalize("NFC").replaceAll("ß", "ss").replaceAll("ı", "i");
}

const getSegmenter = lazily(() => new Intl.Segmenter("th", { granularity: "word" }));

const latin = /^\p{sc=Latin}/u;

/** Prefixes the stems of languages other than English, so that they do not match stems of another language. */
const withLanguage = (language: Language, term: string) => (language === "en" ? term : `${language}:${term}`);

/**
 * Folds of words in languages in which marks tell words apart: Vietnamese `ma`, `má` and `mã`, Turkish `kız` and `kiz`. Such
 * a word is indexed twice: with these marks, so that the exact spelling ranks first, and without any, so that every spelling
 * finds it.
 */
const exactFolds: Readonly<Partial<Record<Language, (word: string) => string>>> = {
  tr: (word) => word.split("ı").map(fold).join("ı"),
  vi: (word) => word.normalize("NFC"),
};

function toTerms(word: string, language: Language): string[] {
  const { stopWords, stem } = getLanguageRules(language);
  if (stopWords.has(word)) return [];
  const base = word.replace(/'s$/, "");
  if (base === "" || stopWords.has(base)) return [];
  // Fold long words before truncation, so that combining marks do not displace letters.
  const truncated = (base.length > MAX_TERM_LENGTH ? fold(base) : base).slice(0, MAX_TERM_LENGTH);
  if (!latin.test(truncated)) return [fold(stemByScript(truncated))];
  const stemmed = stem(truncated);
  const folded = fold(stemmed);
  const exact = exactFolds[language]?.(stemmed) ?? folded;
  // Unicode does not decompose đ.
  const forms = new Set([exact, language === "vi" ? folded.replaceAll("đ", "d") : folded]);
  return [...forms].map((form) => withLanguage(language, form.replaceAll("'", "")));
}

/** Returns the bigrams of a run of characters, or the character itself if there is only one. */
function toBigrams(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** Word, or run of characters in a script without spaces, with the terms that it is indexed under. */
export interface Word {
  readonly word: string;
  readonly terms: readonly string[];
  /** True if the terms are one word in two spellings: with the marks that tell words apart, and without any. */
  readonly isMarked?: true;
}

/** Returns the words of a text in order, without stop words. */
export function extractWords(text: string, language: Language): Word[] {
  const words: Word[] = [];
  for (const { groups } of normalize(text, language).matchAll(tokens)) {
    const { paired, joined, word, pictograph } = groups ?? {};
    if (word !== undefined) {
      const terms = toTerms(word, language);
      if (terms.length > 0) words.push({ word, terms, ...(terms.length > 1 && { isMarked: true }) });
    } else if (paired !== undefined) {
      words.push({ word: paired, terms: toBigrams(paired) });
    } else if (joined !== undefined) {
      for (const { segment, isWordLike } of getSegmenter().segment(joined)) {
        if (isWordLike) words.push({ word: segment, terms: [segment.slice(0, MAX_TERM_LENGTH)] });
      }
    } else if (pictograph !== undefined) {
      words.push({ word: pictograph, terms: [pictograph] });
    }
  }
  return words;
}

/**
 * Returns the terms of a text in order, for indexing and searching: words are folded (case, accents, compatibility forms),
 * stemmed (Snowball) and stripped of stop words. Chinese, Japanese and Korean become bigrams. Thai, Lao, Khmer and Burmese are
 * segmented with the Unicode dictionaries. Emoji are kept.
 * @see https://snowballstem.org/algorithms/
 */
export function extractTerms(text: string, language: Language = "en"): string[] {
  return extractWords(text, language).flatMap(({ terms }) => terms);
}

export function countOccurrences(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
