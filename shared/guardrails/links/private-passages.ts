/** Text of which an answer must not send passages to a host. */
export interface PrivateText {
  readonly text: string;
  /** Minimum length, in letters and digits, of an equal passage that counts as taken from the text. */
  readonly minCharacters: number;
  /** Text of which passages are allowed, such as the question. */
  readonly publicText?: string;
}

/**
 * Characters of scripts without spaces between words. Each carries about as much information as two Latin letters, so
 * it counts twice.
 */
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu;

/** Returns the words of a text in lower case, without accents. */
const wordsOf = (text: string): string[] =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(dense, " $&$& ")
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * Returns true for a word that identifies one thing, such as a password or an order number: at least six characters
 * with at least two digits. A single digit is often part of a name or version, such as `html2text`.
 */
const isSpecific = (word: string) => word.length >= 6 && /\d.*\d/.test(word);

/** Index of the passages of a text. It recognizes copies of them regardless of separators. */
class PassageIndex {
  readonly #length: number;
  /** Passages that contain a digit or span several words. A part of a single word reveals little. */
  readonly #passages = new Set<string>();
  readonly #specificWords: ReadonlySet<string>;
  readonly #publicText: string;

  constructor({ text, minCharacters, publicText = "" }: PrivateText) {
    const words = wordsOf(text);
    const joined = words.join("");
    this.#length = minCharacters;
    this.#specificWords = new Set(words.filter(isSpecific));
    this.#publicText = wordsOf(publicText).join("");
    let word = 0;
    let wordEnd = words[0]?.length ?? 0;
    for (let start = 0; start + minCharacters <= joined.length; start++) {
      if (start === wordEnd) wordEnd += words[++word]?.length ?? 0;
      const passage = joined.slice(start, start + minCharacters);
      if (wordEnd < start + minCharacters || /\d/.test(passage)) this.#passages.add(passage);
    }
  }

  /** Returns true if the words contain a passage or a specific word of the text that is not in the public text. */
  sharesWith(words: readonly string[]): boolean {
    const isPublic = (shared: string) => this.#publicText.includes(shared);
    if (words.some((word) => this.#specificWords.has(word) && !isPublic(word))) return true;
    const joined = words.join("");
    for (let start = 0; start + this.#length <= joined.length; start++) {
      const passage = joined.slice(start, start + this.#length);
      if (this.#passages.has(passage) && !isPublic(passage)) return true;
    }
    return false;
  }
}

const rotate13 = (text: string) =>
  text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97));

const decoders: readonly { readonly pattern: RegExp; readonly encoding: BufferEncoding }[] = [
  { pattern: /[A-Za-z\d+/_-]{8,}/g, encoding: "base64" },
  { pattern: /(?:[\da-f]{2}){4,}/gi, encoding: "hex" },
];

/**
 * Returns the words of a text in several readings: unchanged, reversed, ROT13, and decoded from base64 and hexadecimal.
 */
function readings(text: string): string[][] {
  const words = wordsOf(text);
  const decoded = decoders.map(({ pattern, encoding }) =>
    Array.from(text.matchAll(pattern), ([match]) => Buffer.from(match, encoding).toString("utf8")).join(" "),
  );
  return [
    words,
    words.map((word) => [...word].reverse().join("")).reverse(),
    words.map(rotate13),
    ...decoded.map(wordsOf),
  ];
}

/** Finds passages of private texts in URLs, through which a link or image in an answer could disclose them. */
export class PrivatePassages {
  readonly #texts: readonly PrivateText[];
  #indexes: readonly PassageIndex[] | undefined;

  constructor(texts: readonly PrivateText[]) {
    this.#texts = texts;
  }

  /** Returns true if a text contains a passage of one of the private texts. */
  areIn(text: string): boolean {
    // Most answers have no address that is checked, so the texts are indexed when the first one is.
    this.#indexes ??= this.#texts.map((privateText) => new PassageIndex(privateText));
    return readings(text).some((words) => this.#indexes?.some((index) => index.sharesWith(words)));
  }
}
