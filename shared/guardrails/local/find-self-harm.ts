import { asianPhrases } from "./asian-phrases.ts";
import { foldLetters, type LanguagePhrases, type Phrase, readPhrases } from "./compile-phrases.ts";
import { frenchAndSpanishPhrases } from "./french-and-spanish-phrases.ts";
import { furtherPhrases } from "./further-phrases.ts";
import { germanicPhrases } from "./germanic-phrases.ts";
import { italianAndPortuguesePhrases } from "./italian-and-portuguese-phrases.ts";
import { otherLatinPhrases } from "./other-latin-phrases.ts";
import { otherScriptPhrases } from "./other-script-phrases.ts";

const allLanguages: readonly LanguagePhrases[] = [
  ...germanicPhrases,
  ...frenchAndSpanishPhrases,
  ...italianAndPortuguesePhrases,
  ...otherLatinPhrases,
  ...otherScriptPhrases,
  ...asianPhrases,
  ...furtherPhrases,
];

/** Kind of a statement about self-harm: of a person at risk, or one that may also be innocent. */
type SelfHarmStatement = "certain" | "unsure";

/** Number of characters around a key in which its phrase is searched. */
const PHRASE_CHARACTERS = 160;

/** Number of characters around a phrase in which words of fiction make it uncertain. */
const CONTEXT_CHARACTERS = 120;

/** Returns the kind of the statement if a phrase occurs around a position. */
function findAt(text: string, at: number, phrase: Phrase): SelfHarmStatement | null {
  const from = Math.max(0, at - PHRASE_CHARACTERS);
  const match = phrase.pattern().exec(text.slice(from, at + PHRASE_CHARACTERS));
  if (!match) return null;
  if (!phrase.isCertain) return "unsure";
  const start = from + match.index;
  const context = text.slice(Math.max(0, start - CONTEXT_CHARACTERS), start + match[0].length + CONTEXT_CHARACTERS);
  return phrase.fiction().test(context) ? "unsure" : "certain";
}

/** Place of a key in `KeyIndex`. */
interface Entry {
  readonly key: string;
  /** True if any letters may follow. */
  readonly isStem: boolean;
  readonly phrase: Phrase;
}

/** Maximum number of characters of a key by which it is looked up. */
const MAX_HEAD_LENGTH = 5;

const HASH_COUNT = 2 ** 15;

const hash = (state: number, code: number) => (Math.imul(state + 1, 0x9e3779b1) + Math.imul(code, 0x85ebca6b)) >>> 17;

/** Returns true for letters and digits. Other characters of their blocks are rare. */
const isLetter = (code: number) =>
  code < 0x80
    ? (code > 0x60 && code < 0x7b) || (code > 0x2f && code < 0x3a)
    : code > 0xbf && (code < 0x2000 || code > 0x303f) && (code < 0x600 || code > 0x61f) && code !== 0x964;

const isUnseparated = (code: number) => code > 0x3040 && code < 0xa000;

/** Index of phrases by a hash of the first characters of their keys. Most words begin like none of them. */
class KeyIndex {
  readonly #entries: (Entry[] | undefined)[] = Array.from({ length: HASH_COUNT });

  constructor(phrases: readonly Phrase[]) {
    for (const phrase of phrases) {
      for (const written of phrase.keys) {
        const isStem = phrase.isUnseparated || written.endsWith("*");
        const key = written.endsWith("*") ? written.slice(0, -1) : written;
        let state = 0;
        for (let at = 0; at < Math.min(key.length, MAX_HEAD_LENGTH); at++) state = hash(state, key.charCodeAt(at));
        const entries = this.#entries[state];
        if (entries) entries.push({ key, isStem, phrase });
        else this.#entries[state] = [{ key, isStem, phrase }];
      }
    }
  }

  /** Yields the phrases whose keys occur in a text, with the positions of the keys. */
  *find(text: string): Generator<{ readonly phrase: Phrase; readonly at: number }, void> {
    let previous = 0;
    let isPrefixed = false;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const isStart: boolean = isLetter(code) && (!isLetter(previous) || isPrefixed || isUnseparated(code));
      // Particles of Hebrew and Arabic are written together with the next word.
      isPrefixed = isStart && !isPrefixed && code > 0x58f && code < 0x700;
      previous = code;
      if (!isStart) continue;
      let state = 0;
      for (let to = at; to < at + MAX_HEAD_LENGTH && to < text.length; to++) {
        const next = text.charCodeAt(to);
        if (to > at && !isLetter(next)) break;
        state = hash(state, next);
        const entries = this.#entries[state];
        if (!entries) continue;
        for (const { key, isStem, phrase } of entries) {
          if (!text.startsWith(key, at)) continue;
          if (isStem || !isLetter(text.charCodeAt(at + key.length))) yield { phrase, at };
        }
      }
    }
  }
}

let index: KeyIndex | undefined;

/** Vietnamese for "slowly", which without its accents is also a word for suicide. */
const slowly = "từ từ";

/**
 * Returns the kind of statements about self-harm in a normalized text; null if there are none.
 * @param original text before it was normalized
 */
export function findSelfHarm(normalized: string, original = normalized): SelfHarmStatement | null {
  index ??= new KeyIndex(allLanguages.flatMap(readPhrases));
  const folded = foldLetters(normalized);
  const text = original.includes(slowly) ? folded.replaceAll("tu tu", "") : folded;
  let found: SelfHarmStatement | null = null;
  const searchedTo = new Map<Phrase, number>();
  for (const { phrase, at } of index.find(text)) {
    if (at < (searchedTo.get(phrase) ?? 0)) continue;
    searchedTo.set(phrase, at + PHRASE_CHARACTERS / 2);
    const statement = phrase.typical?.test(text) === false ? null : findAt(text, at, phrase);
    if (statement === "certain") return statement;
    found ??= statement;
  }
  return found;
}
