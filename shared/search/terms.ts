import { stopwords } from "@orama/stopwords/english";
import { stem } from "porter2";

/** Longest term that is told apart, in UTF-16 units: of longer words only the beginning counts. */
const longestTerm = 64;

const stopWords: ReadonlySet<string> = new Set(stopwords);

/**
 * What a text is made of: runs of scripts that are written without spaces, words, pictographs. Scripts that join
 * syllables without spaces but are not cut into pairs (Thai and its neighbours) are left to a dictionary.
 */
const pieces =
  /(?<paired>[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u30fc]+)|(?<joined>[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+)|(?<word>[[\p{L}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]][[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]*(?:'\p{L}+)*)|(?<pictograph>\p{Extended_Pictographic})/gv;

/** Accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of Arabic and its tatweel: often left out in writing. */
const optionalMarks = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u0670]/g;

/** A text as it is compared: compatibility forms united, lower case, without marks that writers leave out. */
function folded(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(optionalMarks, "")
    .normalize("NFC")
    .replaceAll("’", "'");
}

const segmenter = new Intl.Segmenter("th", { granularity: "word" });

const latin = /^\p{sc=Latin}/u;

function wordTerm(word: string): string | null {
  if (stopWords.has(word)) return null;
  const bare = word.replace(/'s$/, "").replaceAll("'", "");
  if (bare === "" || stopWords.has(bare)) return null;
  const cut = bare.slice(0, longestTerm);
  return latin.test(cut) ? stem(cut) : cut;
}

/** Neighbouring characters in pairs; a character on its own stands for itself. */
function pairs(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/**
 * The terms of a text in their order, for indexing and for searching alike: words of every script, folded (case,
 * accents, compatibility forms), English ones stemmed (Snowball) and without stop words; Chinese, Japanese and Korean
 * as pairs of characters; Thai, Lao, Khmer and Burmese cut into words by Unicode's dictionaries; emoji as they are.
 * @see https://snowballstem.org/algorithms/english/stemmer.html
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const { groups } of folded(text).matchAll(pieces)) {
    const { paired, joined, word, pictograph } = groups ?? {};
    if (word !== undefined) {
      const term = wordTerm(word);
      if (term !== null) terms.push(term);
    } else if (paired !== undefined) {
      terms.push(...pairs(paired));
    } else if (joined !== undefined) {
      for (const { segment, isWordLike } of segmenter.segment(joined)) {
        if (isWordLike) terms.push(segment.slice(0, longestTerm));
      }
    } else if (pictograph !== undefined) {
      terms.push(pictograph);
    }
  }
  return terms;
}

/** How often each term occurs. */
export function countsOf(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
