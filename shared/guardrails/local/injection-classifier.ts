import { inflateRawSync } from "node:zlib";
import { classifierModel } from "./classifier-model.ts";
import { classifierWeights } from "./classifier-weights.ts";
import { cueNames, cueTerms } from "./injection-cues.ts";
import { normalize } from "./normalize.ts";

/** Number of hash buckets for n-grams. */
const BUCKET_COUNT = 2 ** 16;

/** Number of features: buckets of n-grams, groups of cues, and ordered pairs of groups. */
export const FEATURE_COUNT = BUCKET_COUNT + cueNames.length * (1 + cueNames.length);

/** Maximum number of characters that are read at the start and at the end of a text. */
const MAX_END_CHARACTERS = 4_000;

/** Maximum distance, in tokens, of two cues that form a pair. */
const MAX_PAIR_TOKENS = 12;

/**
 * Weight of cues relative to n-grams. Cues are fewer, and they also work for authors and languages without training
 * texts.
 */
const CUE_FACTOR = 3;

const plainAscii = /^[\t\n\r -~]*$/;
const asciiToken = /[a-z0-9]+|[^a-z0-9\s]/g;

/** Matches words, single punctuation characters, and single characters of scripts that do not separate words. */
const unicodeToken =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}])+|[^\p{L}\p{N}\s]/gu;

const tokenize = (text: string): string[] => text.match(plainAscii.test(text) ? asciiToken : unicodeToken) ?? [];

/** Initial state of a hash (FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/index.html). */
const HASH_START = 0x811c9dc5;

const hashCharacter = (state: number, code: number) => Math.imul(state ^ code, 0x01000193);

function hashToken(token: string): number {
  let state = HASH_START;
  for (let index = 0; index < token.length; index++) state = hashCharacter(state, token.charCodeAt(index));
  return state;
}

/** Returns the bucket for the hash of a token or of a pair of tokens. */
const toBucket = (state: number) => (state ^ (state >>> 16)) & (BUCKET_COUNT - 1);

const combine = (state: number, tokenHash: number) => Math.imul(state, 0x9e3779b1) + tokenHash;

/** Trie of the terms of all cues. A key combines the hashes of the tokens on its path. */
interface CueTrie {
  /** Groups by the key of their term: `stems` match the start of a token, `words` only a whole token. */
  readonly stems: ReadonlyMap<number, number>;
  readonly words: ReadonlyMap<number, number>;
  /** Keys of all proper prefixes of terms with several tokens. */
  readonly beginnings: ReadonlySet<number>;
}

function buildTrie(): CueTrie {
  const stems = new Map<number, number>();
  const words = new Map<number, number>();
  const beginnings = new Set<number>();
  for (const [group, terms] of cueTerms.entries()) {
    for (const term of terms) {
      const isWord = term.endsWith("_");
      const tokens = tokenize(normalize(term.replaceAll("_", " ")));
      const path = tokens.slice(0, -1).reduce((state, token) => {
        const next = combine(state, hashToken(token));
        beginnings.add(next);
        return next;
      }, 0);
      (isWord ? words : stems).set(combine(path, hashToken(tokens.at(-1) ?? "")), group);
    }
  }
  return { stems, words, beginnings };
}

let trie: CueTrie | undefined;

/** Returns the group of the longest term that starts at a token; -1 if there is none. */
function findCue({ stems, words, beginnings }: CueTrie, tokens: readonly string[], start: number): number {
  let path = 0;
  let found = -1;
  for (let index = start; index < tokens.length; index++) {
    const token = tokens[index] as string;
    let state = HASH_START;
    for (let at = 0; at < token.length; at++) {
      state = hashCharacter(state, token.charCodeAt(at));
      found = stems.get(combine(path, state)) ?? found;
    }
    path = combine(path, state);
    found = words.get(path) ?? found;
    if (!beginnings.has(path)) break;
  }
  return found;
}

/** Features that occur in a text. */
export interface Features {
  /** Buckets of the tokens and of pairs of adjacent tokens. */
  readonly ngrams: ReadonlySet<number>;
  /** Groups of cues, and pairs of groups within `MAX_PAIR_TOKENS`. */
  readonly cues: ReadonlySet<number>;
}

function findCues(tokens: readonly string[]): Set<number> {
  trie ??= buildTrie();
  const cues = new Set<number>();
  const recent: { readonly group: number; readonly at: number }[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const group = findCue(trie, tokens, at);
    if (group === -1) continue;
    cues.add(BUCKET_COUNT + group);
    while (recent[0] && at - recent[0].at > MAX_PAIR_TOKENS) recent.shift();
    for (const { group: before } of recent) cues.add(BUCKET_COUNT + cueNames.length * (1 + before) + group);
    recent.push({ group, at });
  }
  return cues;
}

export function toFeatures(text: string): Features {
  const isLong = text.length > 2 * MAX_END_CHARACTERS;
  const tokens = tokenize(isLong ? `${text.slice(0, MAX_END_CHARACTERS)}\n${text.slice(-MAX_END_CHARACTERS)}` : text);
  const ngrams = new Set<number>();
  let previous: number | undefined;
  for (const token of tokens) {
    const hash = hashToken(token);
    ngrams.add(toBucket(hash));
    if (previous !== undefined) ngrams.add(toBucket(combine(previous, hash)));
    previous = hash;
  }
  return { ngrams, cues: findCues(tokens) };
}

/**
 * Returns the factors with which the weights of n-grams and cues are multiplied. They compensate that longer texts have
 * more features.
 */
export const factorsOf = ({ ngrams, cues }: Features) => ({
  ngrams: 1 / Math.sqrt(ngrams.size + 1),
  cues: CUE_FACTOR / Math.sqrt(cues.size + 1),
});

/** Returns the sum of the weights of a text's features, multiplied by `factorsOf`. */
export function sumWeights(features: Features, weights: ArrayLike<number>): number {
  const factors = factorsOf(features);
  let ngrams = 0;
  let cues = 0;
  for (const feature of features.ngrams) ngrams += weights[feature] ?? 0;
  for (const feature of features.cues) cues += weights[feature] ?? 0;
  return ngrams * factors.ngrams + cues * factors.cues;
}

let weights: Int8Array | undefined;

/**
 * Returns true if a normalized text is worded like the attacks of the training texts. This is only a hint for people:
 * about one in a hundred innocent texts by unknown authors is worded like an attack. Decision 0020 is the model card.
 */
export function isWordedLikeInjection(text: string): boolean {
  weights ??= new Int8Array(inflateRawSync(Buffer.from(classifierWeights, "base64")));
  const { scale, bias, threshold } = classifierModel;
  return sumWeights(toFeatures(text), weights) * scale + bias > threshold;
}
