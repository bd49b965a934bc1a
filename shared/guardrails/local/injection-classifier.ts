import { inflateRawSync } from "node:zlib";
import { classifierModel } from "./classifier-model.ts";

/** Number of buckets that n-grams are hashed into. */
export const BUCKET_COUNT = 2 ** 16;

/** Number of characters that are read at each end of a long text. */
const MAX_END_CHARACTERS = 4_000;

const plainAscii = /^[\t\n\r -~]*$/;
const asciiToken = /[a-z0-9]+|[^a-z0-9\s]/g;

/** Words, and single characters of punctuation and of scripts that do not separate words. */
const unicodeToken =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}])+|[^\p{L}\p{N}\s]/gu;

/** Hashes a token (FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/index.html). */
function hashToken(token: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < token.length; index++) state = Math.imul(state ^ token.charCodeAt(index), 0x01000193);
  return state;
}

/** Returns the bucket of an n-gram from the combined hash of its tokens. */
const toBucket = (state: number) => (state ^ (state >>> 16)) & (BUCKET_COUNT - 1);

const combine = (state: number, tokenHash: number) => Math.imul(state, 0x9e3779b1) + tokenHash;

/** Returns the features of a normalized text: the buckets of its n-grams of one to three tokens, each once. */
export function toBuckets(text: string): Set<number> {
  const isLong = text.length > 2 * MAX_END_CHARACTERS;
  const read = isLong ? `${text.slice(0, MAX_END_CHARACTERS)}\n${text.slice(-MAX_END_CHARACTERS)}` : text;
  const hashes = (read.match(plainAscii.test(read) ? asciiToken : unicodeToken) ?? []).map(hashToken);
  const buckets = new Set<number>();
  for (const [index, first] of hashes.entries()) {
    buckets.add(toBucket(first));
    const second = hashes[index + 1];
    if (second === undefined) break;
    const pair = combine(first, second);
    buckets.add(toBucket(pair));
    const third = hashes[index + 2];
    if (third !== undefined) buckets.add(toBucket(combine(pair, third)));
  }
  return buckets;
}

/** Returns the sum of the weights of a text's features, divided by the root of their number. */
export function sumWeights(buckets: ReadonlySet<number>, weights: ArrayLike<number>): number {
  let sum = 0;
  for (const bucket of buckets) sum += weights[bucket] ?? 0;
  return sum / Math.sqrt(buckets.size + 1);
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
  return sumWeights(toBuckets(text), weights) * scale + bias > threshold;
}
