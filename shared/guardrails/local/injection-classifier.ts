import { inflateRawSync } from "node:zlib";
import { classifierModel } from "./classifier-model.ts";
import { cueNames, cueTerms } from "./injection-cues.ts";
import { normalize } from "./normalize.ts";

/** Number of buckets that n-grams are hashed into. */
const BUCKET_COUNT = 2 ** 16;

/** Number of features: the buckets, the groups of cues, and the ordered pairs of groups. */
export const FEATURE_COUNT = BUCKET_COUNT + cueNames.length * (1 + cueNames.length);

/** Number of characters that are read at each end of a long text. */
const MAX_END_CHARACTERS = 4_000;

/** Maximum distance of two cues that form a pair, in tokens. */
const MAX_PAIR_TOKENS = 12;

/** Weight of the cues relative to the n-grams. Cues are fewer, and they carry over to authors and languages without training texts. */
const CUE_FACTOR = 3;

const plainAscii = /^[\t\n\r -~]*$/;
const asciiToken = /[a-z0-9]+|[^a-z0-9\s]/g;

/** Words, and single characters of punctuation and of scripts that do not separate words. */
const unicodeToken =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}])+|[^\p{L}\p{N}\s]/gu;

const tokenize = (text: string): string[] => text.match(plainAscii.test(text) ? asciiToken : unicodeToken) ?? [];

/** State of a hash before the first character (FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/index.html). */
const HASH_START = 0x811c9dc5;

const hashCharacter = (state: number, code: number) => Math.imul(state ^ code, 0x01000193);

function hashToken(token: string): number {
  let state = HASH_START;
  for (let index = 0; index < token.length; index++) state = hashCharacter(state, token.charCodeAt(index));
  return state;
}

/** Returns the bucket of a token or pair of tokens from its hash. */
const toBucket = (state: number) => (state ^ (state >>> 16)) & (BUCKET_COUNT - 1);

const combine = (state: number, tokenHash: number) => Math.imul(state, 0x9e3779b1) + tokenHash;

/** Terms of the cues as a trie. Keys combine the hash of the tokens so far with the hash of the next token. */
interface CueTrie {
  /** Groups of terms that end with the start of a token, and of terms that end with a whole token. */
  readonly stems: ReadonlyMap<number, number>;
  readonly words: ReadonlyMap<number, number>;
  /** Keys of the beginnings of terms of several tokens. */
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

/** Returns the group of the term that starts at a token, or -1. The longest beginning of the token decides. */
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

/** Features of a text, each once. */
export interface Features {
  /** Buckets of tokens and of pairs of neighboring tokens. */
  readonly ngrams: ReadonlySet<number>;
  /** Groups of cues and pairs of groups that follow each other closely. */
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

/** Returns the factors of the weights of n-grams and of cues: longer texts have more of them. */
export const factorsOf = ({ ngrams, cues }: Features) => ({
  ngrams: 1 / Math.sqrt(ngrams.size + 1),
  cues: CUE_FACTOR / Math.sqrt(cues.size + 1),
});

/** Returns the sum of the weights of a text's features, each kind divided by the root of their number. */
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
 * Reports whether a normalized text is worded like the attacks that the classifier was trained with. The result is a hint
 * for people: about one in a hundred innocent texts by unknown authors is worded like an attack. Decision 0020 is the model
 * card.
 */
export function isWordedLikeInjection(text: string): boolean {
  weights ??= new Int8Array(inflateRawSync(Buffer.from(classifierModel.weights, "base64")));
  const { scale, bias, threshold } = classifierModel;
  return sumWeights(toFeatures(text), weights) * scale + bias > threshold;
}
