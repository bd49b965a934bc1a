/**
 * Trains the injection classifier and evaluates it on authors that it has not seen:
 * `node infra/train-injection-classifier.ts [--hold-out author,…] [--write] corpus.jsonl`. Each line of the corpus is
 * `{ "author": …, "text": …, "label": 0 | 1, "family"?: … }`; label 1 is an attack. Authors of one family, such as
 * collections that copy from each other, are never separated. `--write` trains with all authors and stores the model.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { deflateRawSync } from "node:zlib";
import { BUCKET_COUNT, sumWeights, toBuckets } from "#shared/guardrails/local/injection-classifier.ts";
import { normalize } from "#shared/guardrails/local/normalize.ts";

/** Text of the corpus, converted to the features of the classifier. */
interface Example {
  readonly author: string;
  readonly family: string;
  readonly label: 0 | 1;
  readonly buckets: ReadonlySet<number>;
  /** Text without punctuation, to find duplicates. */
  readonly normalizedText: string;
}

interface Model {
  readonly weights: Float32Array;
  readonly bias: number;
}

const EPOCHS = 6;
const LEARNING_RATE = 0.1;
const L2 = 1e-5;

/** Share of the innocent texts that the classifier may report, as a mean over their authors. */
const MAX_FALSE_POSITIVE_RATE = 0.02;

/** Minimum number of innocent texts of an author; the others do not take part in the choice of the threshold. */
const MIN_INNOCENT_TEXTS = 90;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "hold-out": { type: "string", default: "" }, write: { type: "boolean", default: false } },
});
const [corpusPath] = positionals;
if (!corpusPath) throw new Error("Name the corpus: node infra/train-injection-classifier.ts corpus.jsonl");

function readCorpus(path: string): Example[] {
  const seen = new Set<string>();
  return readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .flatMap((line) => {
      const { author, text, label, family = author } = JSON.parse(line);
      const normalizedText = text
        .normalize("NFKC")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, " ")
        .slice(0, 400);
      const key = `${author}\n${normalizedText}`;
      if (seen.has(key)) return [];
      seen.add(key);
      return [{ author, family, label, normalizedText, buckets: toBuckets(normalize(text)) }];
    });
}

/** Deterministic generator (mulberry32), so that the same corpus gives the same model. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Weighs examples so that both labels count the same and a large author counts by the root of its size. */
function weigh(examples: readonly Example[]): number[] {
  const sizes = Map.groupBy(examples, ({ author, label }) => `${author}\n${label}`);
  const raw = examples.map(({ author, label }) => 1 / Math.sqrt(sizes.get(`${author}\n${label}`)?.length ?? 1));
  const totals = [0, 0];
  for (const [index, { label }] of examples.entries()) totals[label] = (totals[label] ?? 0) + (raw[index] ?? 0);
  return examples.map(({ label }, index) => ((raw[index] ?? 0) / (totals[label] ?? 1)) * (examples.length / 2));
}

/** Trains a logistic regression with AdaGrad. */
function train(examples: readonly Example[]): Model {
  const weights = new Float32Array(BUCKET_COUNT);
  const squares = new Float32Array(BUCKET_COUNT).fill(1e-2);
  const exampleWeights = weigh(examples);
  const random = seededRandom(1);
  const order = examples.map((_, index) => index);
  let bias = 0;
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    for (let last = order.length - 1; last > 0; last--) {
      const other = Math.floor(random() * (last + 1));
      [order[last], order[other]] = [order[other] as number, order[last] as number];
    }
    for (const index of order) {
      const { buckets, label } = examples[index] as Example;
      const probability = 1 / (1 + Math.exp(-(sumWeights(buckets, weights) + bias)));
      const error = (probability - label) * (exampleWeights[index] as number);
      const featureError = error / Math.sqrt(buckets.size + 1);
      bias -= 0.01 * error;
      for (const bucket of buckets) {
        const weight = weights[bucket] as number;
        const gradient = featureError + L2 * weight;
        const square = (squares[bucket] as number) + gradient * gradient;
        squares[bucket] = square;
        weights[bucket] = weight - (LEARNING_RATE * gradient) / Math.sqrt(square);
      }
    }
  }
  return { weights, bias };
}

const isDistinctFrom = (others: readonly Example[]) => {
  const normalizedTexts = new Set(others.map(({ normalizedText }) => normalizedText));
  return ({ normalizedText }: Example) => !normalizedTexts.has(normalizedText);
};

interface Scored {
  readonly author: string;
  readonly label: 0 | 1;
  readonly score: number;
}

/** Scores the texts of each family with a model that was trained on all other families. */
function crossValidate(examples: readonly Example[]): Scored[] {
  return [...Map.groupBy(examples, ({ family }) => family)].flatMap(([family, tested]) => {
    const others = examples.filter((example) => example.family !== family).filter(isDistinctFrom(tested));
    const { weights, bias } = train(others);
    return tested.map(({ author, label, buckets }) => ({ author, label, score: sumWeights(buckets, weights) + bias }));
  });
}

const rateAbove = (scored: readonly Scored[], threshold: number) =>
  scored.filter(({ score }) => score > threshold).length / scored.length;

/** Returns the lowest threshold at which the mean false-positive rate of the authors is within its limit. */
function chooseThreshold(scored: readonly Scored[]): number {
  const innocent = [
    ...Map.groupBy(
      scored.filter(({ label }) => label === 0),
      ({ author }) => author,
    ).values(),
  ];
  const large = innocent.filter(({ length }) => length >= MIN_INNOCENT_TEXTS);
  let [low, high] = [-20, 20];
  while (high - low > 1e-3) {
    const middle = (low + high) / 2;
    const total = large.reduce((sum, { length }) => sum + Math.sqrt(length), 0);
    const rate = large.reduce((sum, texts) => sum + Math.sqrt(texts.length) * rateAbove(texts, middle), 0) / total;
    if (rate > MAX_FALSE_POSITIVE_RATE) low = middle;
    else high = middle;
  }
  return high;
}

function printRates(title: string, scored: readonly Scored[], threshold: number): void {
  console.log(`\n${title}`);
  const means = [0, 1].map((label) => {
    const authors = [
      ...Map.groupBy(
        scored.filter((entry) => entry.label === label),
        ({ author }) => author,
      ),
    ];
    for (const [author, texts] of authors) {
      const rate = `${(100 * rateAbove(texts, threshold)).toFixed(1)} %`;
      console.log(`${label === 1 ? "attacks" : "innocent"}\t${author}\t${texts.length}\t${rate}`);
    }
    return authors.reduce((sum, [, texts]) => sum + rateAbove(texts, threshold), 0) / authors.length;
  });
  const [falsePositives = 0, recall = 0] = means.map((mean) => 100 * mean);
  const innocent = scored.filter(({ label }) => label === 0);
  console.log(`mean of authors: recall ${recall.toFixed(1)} %, false positives ${falsePositives.toFixed(2)} %`);
  console.log(`all innocent texts: ${(100 * rateAbove(innocent, threshold)).toFixed(2)} % of ${innocent.length}`);
}

const corpus = readCorpus(corpusPath);
const heldOut = new Set(values["hold-out"].split(","));
const development = corpus.filter(({ author }) => !heldOut.has(author));
const unseen = corpus.filter(({ author }) => heldOut.has(author));
const scored = crossValidate(development);
const threshold = chooseThreshold(scored);
printRates("Each author scored by a model that has not seen it", scored, threshold);

if (unseen.length > 0) {
  const { weights, bias } = train(development.filter(isDistinctFrom(unseen)));
  const results = unseen.map(({ author, label, buckets }) => ({
    author,
    label,
    score: sumWeights(buckets, weights) + bias,
  }));
  printRates("Authors that were held out", results, threshold);
}

if (values.write) {
  const { weights, bias } = train(corpus);
  const scale = weights.reduce((max, weight) => Math.max(max, Math.abs(weight)), 0) / 127;
  const bytes = Int8Array.from(weights, (weight) => Math.round(weight / scale));
  const packed = deflateRawSync(bytes, { level: 9 }).toString("base64");
  const path = new URL("../shared/guardrails/local/classifier-model.ts", import.meta.url);
  const source = readFileSync(path, "utf8")
    .replace(/weights: ".*"/, `weights: "${packed}"`)
    .replace(/weights:\n\s*".*"/, `weights:\n    "${packed}"`)
    .replace(/scale: .*,/, `scale: ${scale.toPrecision(6)},`)
    .replace(/bias: .*,/, `bias: ${bias.toPrecision(6)},`)
    .replace(/threshold: .*,/, `threshold: ${threshold.toPrecision(4)},`);
  writeFileSync(path, source);
  console.log(`\nwritten: ${packed.length} characters`);
}
