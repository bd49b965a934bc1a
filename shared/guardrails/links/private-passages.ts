/** Text that an answer must not carry to a host. */
export interface PrivateText {
  readonly text: string;
  /** Minimum number of letters and digits of an equal passage that counts as taken from the text. */
  readonly minCharacters: number;
  /** Text whose passages may be repeated, such as the question. */
  readonly publicText?: string;
}

/** Characters of scripts without spaces, of which each tells about as much as two Latin letters. */
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
 * Returns true for a word that names one thing, such as a password or an order number: it is not short and has several
 * digits. One digit is often a part of a name or its version, such as `html2text`.
 */
const isSpecific = (word: string) => word.length >= 6 && /\d.*\d/.test(word);

/** Passages of a text, by which a copy of them is recognized with any separators. */
class PassageIndex {
  readonly #length: number;
  /** Passages that contain a digit or reach beyond one word: a part of one word tells little. */
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

  /** Returns true if the words share a passage or a specific word with the text that is not in the public text. */
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

/** Returns the ways to read the words of a text: as they are, backwards, by ROT13, and decoded from base64 and hexadecimal. */
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

/** Finds passages of private texts in addresses. */
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
