/** Matches letters of scripts that are written without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

const normalize = (text: string) => text.normalize("NFKC").toLowerCase();

/** Returns the words of a text between spaces, so that a phrase is found only as whole words. */
function toWords(text: string): string {
  const words = [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(normalize(text))]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);
  return ` ${words.join(" ")} `;
}

/** Tells whether a text contains one of the words or phrases, regardless of case. */
export function hasWord(text: string, phrases: readonly string[]): boolean {
  if (phrases.length === 0) return false;
  const words = toWords(text);
  return phrases.some((phrase) => {
    if (unspaced.test(phrase)) return normalize(text).includes(normalize(phrase));
    const searched = toWords(phrase);
    return searched.trim() !== "" && words.includes(searched);
  });
}
