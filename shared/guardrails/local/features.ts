import { concepts } from "./concepts.ts";
import { normalise } from "./normalize.ts";
import type { Token } from "./tokens.ts";

/** Size of the table of weights that features are hashed into. */
export const buckets = 1 << 14;

/** A feature of a text: its place in the table of weights and how much of it there is. */
export type Feature = readonly [bucket: number, amount: number];

const names = Object.keys(concepts);
const prefixAtLeast = 3;
const prefixAtMost = 14;

/** Concepts by whole word, by beginning, and by phrase (its words joined by `_`, under its first word). */
const words = new Map<string, number[]>();
const prefixes = new Map<string, number[]>();
const phrases = new Map<string, { readonly rest: readonly string[]; readonly concept: number }[]>();

const rot13 = (word: string) =>
  word.replace(/[a-z]/g, (char) => String.fromCharCode(((char.charCodeAt(0) - 84) % 26) + 97));

function add<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const found = map.get(key);
  if (found) found.push(value);
  else map.set(key, [value]);
}

for (const [concept, name] of names.entries()) {
  for (const listed of normalise(concepts[name] ?? "").split(/\s+/)) {
    // What nobody wants to read in a source is written there in another way.
    const entry = name === "slur" ? rot13(listed) : listed;
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
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value ^= value >>> 15;
  return Math.imul(value, 0x2c1b3c6d) >>> 0;
}

const bucketOf = (text: string) => hash(text) % buckets;
const conceptBuckets = names.map((name) => bucketOf(`c ${name}`));
const startBuckets = names.map((name) => bucketOf(`s ${name}`));

/** Of two concepts, one soon after the other. */
function pairBucket(first: number, second: number): number {
  return Math.imul((first * 64 + second + 1) ^ 0x5bd1e995, 0x9e3779b1) >>> 18;
}

/** Which concepts a word carries, or the phrase that begins with it; a few at most. */
function conceptsAt(tokens: readonly Token[], at: number): number[] {
  const { word, ahead } = tokens[at] as Token;
  const found: number[] = [];
  if (ahead !== null) {
    for (let length = Math.min(ahead.length, 6); length > 0; length--) {
      const exact = words.get(ahead.slice(0, length));
      if (exact) found.push(...exact);
    }
    return found;
  }
  const exact = words.get(word);
  if (exact) found.push(...exact);
  for (let length = Math.min(word.length, prefixAtMost); length >= prefixAtLeast; length--) {
    const begun = prefixes.get(word.slice(0, length));
    if (begun) found.push(...begun);
  }
  for (const { rest, concept } of phrases.get(word) ?? []) {
    if (rest.every((next, index) => tokens[at + index + 1]?.word === next)) found.push(concept);
  }
  return found.length > 1 ? [...new Set(found)] : found;
}

/** How many words apart two concepts may stand to count as a pair. */
const reach = 6;

const conceptAmount = 0.5;

/** What a word is reduced to, so that its inflections count as one. */
const stemOf = (word: string) => (word.length > 6 ? word.slice(0, 6) : word);

/** Set in a feature that is about a word as such, not about what it means. */
const lexical = 1 << 20;
const bucketMask = buckets - 1;

/**
 * What each word adds to the features of a text, by itself and with the words before it: windows of a text are put
 * together from these lists, so that no word is looked at twice.
 */
export function featuresOfTokens(tokens: readonly Token[]): number[][] {
  const recent: { at: number; concept: number }[] = [];
  return tokens.map((token, at) => {
    const own: number[] = [];
    const stem = stemOf(/^\d+$/.test(token.word) ? "0" : token.word);
    own.push(lexical | bucketOf(`w ${stem}`));
    if (token.begins) own.push(lexical | bucketOf(`^ ${stem}`));
    const near = reach * (token.ahead === null ? 1 : 2);
    while (recent.length > 0 && at - (recent[0]?.at ?? 0) > near) recent.shift();
    const found = conceptsAt(tokens, at);
    for (const concept of found) {
      own.push(conceptBuckets[concept] ?? 0);
      if (token.begins) own.push(startBuckets[concept] ?? 0);
      for (const earlier of recent) own.push(pairBucket(earlier.concept, concept));
    }
    for (const concept of found) recent.push({ at, concept });
    return own;
  });
}

const counts = new Uint8Array(buckets);

/**
 * The features of some words in a row. What is about words as such counts less the more words there are, so that
 * length alone means nothing; what is about meaning counts as it is, and little more when it comes again.
 */
export function gather(lists: readonly (readonly number[])[], from: number, to: number): Feature[] {
  const seen: number[] = [];
  let words = 0;
  for (let at = from; at < to; at++) {
    for (const feature of lists[at] ?? []) {
      const bucket = feature & bucketMask;
      if (counts[bucket] === 0) {
        seen.push(feature);
        if (feature & lexical) words++;
      }
      if ((counts[bucket] as number) < 8) (counts[bucket] as number)++;
    }
  }
  const lexicalAmount = 1 / Math.sqrt(Math.max(words, 12));
  return seen.map((feature) => {
    const bucket = feature & bucketMask;
    const count = counts[bucket] ?? 0;
    counts[bucket] = 0;
    return [bucket, feature & lexical ? lexicalAmount : conceptAmount * (1 + 0.25 * Math.log2(count))] as const;
  });
}
