/** Matches the characters between addresses and words. */
const separators = /([\s<>"'()\],;]+)/u;

/** Tells whether a word is an address in the web or of e-mail. */
const isAddress = (word: string) =>
  /^(?:https?:\/\/|www\.)./iu.test(word) || (word.indexOf("@") > 0 && !word.endsWith("@"));

/** Matches numbers, dates and times. */
const numbers = /\p{Nd}+(?:[.,:/-]\p{Nd}+)*/gu;

/** Matches words that begin with a capital letter, with the word before them if it does, too. */
const capitalized = /(?:\p{Lu}[\p{L}\p{M}'’-]* )?\p{Lu}[\p{L}\p{M}'’-]*/gu;

const thousands = /(\p{Nd})[.,](?=\p{Nd}{3}(?!\p{Nd}))/gu;

/** Matches words that German texts have, in which all nouns are capitalized. */
const germanWords = /(?<![\p{L}])(?:der|die|das|und|nicht|ist|ein|eine|wir|sie|mit|für)(?![\p{L}])/giu;

const trimEnd = (text: string) => text.replace(/[.,;:!?]$/u, "");

const isGerman = (text: string) => (text.match(germanWords)?.length ?? 0) * 12 > text.split(/\s+/u).length;

const listNumbers = (text: string) => [...text.matchAll(numbers)].map(([number]) => number.replaceAll(thousands, "$1"));

/** Facts of a text that a machine can compare: numbers and dates, addresses, and names. */
type Kind = "numbers" | "addresses" | "names";

/** Tells whether a sentence has a name that a text lacks. In German, only two capitalized words in a row count as a name. */
function hasForeignName(sentence: string, source: string): boolean {
  const words = source.toLowerCase();
  const isNoun = isGerman(sentence);
  // The first word is capitalized in any case.
  const rest = sentence.trim().replace(/^\P{L}*[\p{L}\p{M}'’-]+/u, "");
  return [...rest.matchAll(capitalized)].some(([match]) => {
    const parts = match.toLowerCase().split(" ");
    return (!isNoun || parts.length > 1) && parts.some((part) => !words.includes(part.replace(/['’]s?$/u, "")));
  });
}

/**
 * Returns the sentences of a text with a number, a date, an address or a name that a source lacks. It does not compare numbers
 * in words, nor names in scripts without capital letters.
 */
export function findUnsupported(
  text: string,
  source: string,
  kinds: readonly Kind[] = ["numbers", "addresses", "names"],
): string[] {
  const known = new Set(listNumbers(source));
  const lower = source.toLowerCase();
  const sentences = [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text)];
  return sentences
    .map(({ segment }) => segment.trim())
    .filter((sentence) => {
      const words = sentence.split(separators);
      const withoutAddresses = words.filter((word) => !isAddress(word)).join("");
      const found = words.filter(isAddress);
      return (
        (kinds.includes("addresses") && found.some((address) => !lower.includes(trimEnd(address).toLowerCase()))) ||
        (kinds.includes("numbers") && listNumbers(withoutAddresses).some((number) => !known.has(number))) ||
        (kinds.includes("names") && hasForeignName(withoutAddresses, source))
      );
    });
}
