import { concepts } from "./concepts.ts";
import { normalize } from "./normalize.ts";
import type { Token } from "./tokenize.ts";

/** Rows of the weight table, into which features are hashed. */
export const BUCKET_COUNT = 1 << 14;

/** Feature of a text: its row in the weight table and its amount. */
export type Feature = readonly [bucket: number, amount: number];

const conceptNames = Object.keys(concepts);
const MIN_PREFIX_LENGTH = 3;
const MAX_PREFIX_LENGTH = 14;

/** Concepts by whole word, by prefix, and by the first word of a phrase. */
const words = new Map<string, number[]>();
const prefixes = new Map<string, number[]>();
const phrases = new Map<string, { readonly rest: readonly string[]; readonly concept: number }[]>();

const rot13 = (word: string) =>
  word.replace(/[a-z]/g, (char) => String.fromCharCode(((char.charCodeAt(0) - 84) % 26) + 97));

function add<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}

for (const [concept, name] of conceptNames.entries()) {
  for (const rawEntry of normalize(concepts[name] ?? "").split(/\s+/)) {
    // Slurs are encoded in the source so that it does not spell them out.
    const entry = name === "slur" ? rot13(rawEntry) : rawEntry;
    if (entry === "") continue;
    if (entry.endsWith("*")) add(prefixes, entry.slice(0, -1), concept);
    else if (entry.includes("_")) {
      const [first = "", ...rest] = entry.split("_");
      add(phrases, first, { rest, concept });
    } else add(words, entry, concept);
  }
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value ^= value >>> 15;
  return Math.imul(value, 0x2c1b3c6d) >>> 0;
}

const bucketOf = (text: string) => hash(text) % BUCKET_COUNT;
const conceptBuckets = conceptNames.map((name) => bucketOf(`c ${name}`));
const startBuckets = conceptNames.map((name) => bucketOf(`s ${name}`));

/** Returns the bucket for two concepts in close succession. */
function pairBucket(first: number, second: number): number {
  return Math.imul((first * 64 + second + 1) ^ 0x5bd1e995, 0x9e3779b1) >>> 18;
}

/** Returns the concepts of a word and of the phrases that start with it. */
function findConcepts(tokens: readonly Token[], index: number): number[] {
  const { word, ahead } = tokens[index] as Token;
  const matches: number[] = [];
  if (ahead !== null) {
    for (let length = Math.min(ahead.length, 6); length > 0; length--) {
      const exact = words.get(ahead.slice(0, length));
      if (exact) matches.push(...exact);
    }
    return matches;
  }
  const exact = words.get(word);
  if (exact) matches.push(...exact);
  for (let length = Math.min(word.length, MAX_PREFIX_LENGTH); length >= MIN_PREFIX_LENGTH; length--) {
    const byPrefix = prefixes.get(word.slice(0, length));
    if (byPrefix) matches.push(...byPrefix);
  }
  for (const { rest, concept } of phrases.get(word) ?? []) {
    if (rest.every((next, offset) => tokens[index + offset + 1]?.word === next)) matches.push(concept);
  }
  return matches.length > 1 ? [...new Set(matches)] : matches;
}

/** Distance up to which two concepts count as a pair. */
const MAX_PAIR_DISTANCE_WORDS = 6;

const CONCEPT_AMOUNT = 0.5;

/** Truncates a word so that its inflections count as one. */
const toStem = (word: string) => (word.length > 6 ? word.slice(0, 6) : word);

/** Flag of a feature that represents a word itself, not its concept. */
const LEXICAL_FLAG = 1 << 20;
const bucketMask = BUCKET_COUNT - 1;

/**
 * Returns the features that each word contributes, on its own and in combination with the words before it. Windows are
 * assembled from these lists, so each word is processed once.
 */
export function extractFeatures(tokens: readonly Token[]): number[][] {
  const recent: { index: number; concept: number }[] = [];
  return tokens.map((token, index) => {
    const features: number[] = [];
    const stem = toStem(/^\d+$/.test(token.word) ? "0" : token.word);
    features.push(LEXICAL_FLAG | bucketOf(`w ${stem}`));
    if (token.isFirst) features.push(LEXICAL_FLAG | bucketOf(`^ ${stem}`));
    const maxDistance = MAX_PAIR_DISTANCE_WORDS * (token.ahead === null ? 1 : 2);
    while (recent.length > 0 && index - (recent[0]?.index ?? 0) > maxDistance) recent.shift();
    const matches = findConcepts(tokens, index);
    for (const concept of matches) {
      features.push(conceptBuckets[concept] ?? 0);
      if (token.isFirst) features.push(startBuckets[concept] ?? 0);
      for (const earlier of recent) features.push(pairBucket(earlier.concept, concept));
    }
    for (const concept of matches) recent.push({ index, concept });
    return features;
  });
}

const counts = new Uint8Array(BUCKET_COUNT);

/**
 * Combines the features of a range of words. Lexical features are scaled down with the number of distinct words, so that
 * length alone has no effect. Concept features have a fixed amount, which repetitions increase slightly.
 */
export function collectFeatures(lists: readonly (readonly number[])[], from: number, to: number): Feature[] {
  const distinct: number[] = [];
  let lexicalCount = 0;
  for (let index = from; index < to; index++) {
    for (const feature of lists[index] ?? []) {
      const bucket = feature & bucketMask;
      if (counts[bucket] === 0) {
        distinct.push(feature);
        if (feature & LEXICAL_FLAG) lexicalCount++;
      }
      if ((counts[bucket] as number) < 8) (counts[bucket] as number)++;
    }
  }
  const lexicalAmount = 1 / Math.sqrt(Math.max(lexicalCount, 12));
  return distinct.map((feature) => {
    const bucket = feature & bucketMask;
    const count = counts[bucket] ?? 0;
    counts[bucket] = 0;
    return [bucket, feature & LEXICAL_FLAG ? lexicalAmount : CONCEPT_AMOUNT * (1 + 0.25 * Math.log2(count))] as const;
  });
}
