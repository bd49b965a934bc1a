/**
 * Trains the injection classifier and evaluates it on authors that it has not seen:
 * `node infra/commands/train-injection-classifier.ts [--hold-out author,…] [--write] corpus.jsonl`. Each line of the corpus is
 * `{ "author": …, "text": …, "label": 0 | 1, "family"?: …, "weight"?: … }`; label 1 is an attack. Authors of one family, such
 * as collections that copy from each other, are never separated. A weight below 1 marks an author with unreliable labels.
 * `--write` trains with all authors except those that are held out and stores the model.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { deflateRawSync } from "node:zlib";
import {
  FEATURE_COUNT,
  type Features,
  factorsOf,
  sumWeights,
  toFeatures,
} from "#shared/guardrails/local/injection-classifier.ts";
import { applyRules } from "#shared/guardrails/local/local-detector.ts";
import { normalize } from "#shared/guardrails/local/normalize.ts";
import { rules } from "#shared/guardrails/local/rules.ts";

/** Text of the corpus and its features for the classifier. */
interface Example {
  readonly author: string;
  readonly family: string;
  readonly label: 0 | 1;
  readonly weight: number;
  readonly features: Features;
  /** True if a rule already reports the text. The classifier is then not used. */
  readonly isKnown: boolean;
  /** Text without punctuation, by which duplicates are found. */
  readonly normalizedText: string;
}

interface Model {
  readonly weights: Float32Array;
  readonly bias: number;
}

const EPOCHS = 3;
const LEARNING_RATE = 0.1;
const L2 = 1e-5;

/**
 * Exponent of an author's number of texts in the weight of the author: with a small one, a small collection counts almost as
 * much as a large one.
 */
const AUTHOR_SIZE_EXPONENT = 0.2;

/** Number of models in the cross-validation. Each is trained without one part of the author families. */
const FOLDS = 8;

/**
 * Maximum share of innocent texts that rules and classifier may report, as a mean over authors. Many authors collected
 * innocent texts that resemble attacks; about a fifth of this share of ordinary questions is reported.
 */
const MAX_FALSE_POSITIVE_RATE = 0.05;

/** Minimum number of innocent texts of an author whose false-positive rate counts in the choice of the threshold. */
const MIN_INNOCENT_TEXTS = 90;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "hold-out": { type: "string", default: "" }, write: { type: "boolean", default: false } },
});
const [corpusPath] = positionals;
if (!corpusPath) throw new Error("Name the corpus: node infra/commands/train-injection-classifier.ts corpus.jsonl");

const injectionRules = rules.filter(({ category }) => category === "injection");

function readCorpus(path: string): Example[] {
  const seen = new Set<string>();
  return readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .flatMap((line) => {
      const { author, text, label, family = author, weight = 1 } = JSON.parse(line);
      const normalizedText = text
        .normalize("NFKC")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, " ")
        .slice(0, 400);
      const key = `${author}\n${normalizedText}`;
      if (seen.has(key)) return [];
      seen.add(key);
      const features = toFeatures(normalize(text));
      const isKnown = applyRules(text, injectionRules).length > 0;
      return [{ author, family, label, weight, normalizedText, features, isKnown }];
    });
}

/** Returns a deterministic random generator (mulberry32), so that the same corpus gives the same model. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Returns a weight per example. Both labels get the same total weight, and an author counts by a power of the number of
 * texts.
 */
function weigh(examples: readonly Example[]): number[] {
  const sizes = Map.groupBy(examples, ({ author, label }) => `${author}\n${label}`);
  const raw = examples.map(
    ({ author, label, weight }) =>
      weight * (sizes.get(`${author}\n${label}`)?.length ?? 1) ** (AUTHOR_SIZE_EXPONENT - 1),
  );
  const totals = [0, 0];
  for (const [index, { label }] of examples.entries()) totals[label] = (totals[label] ?? 0) + (raw[index] ?? 0);
  return examples.map(({ label }, index) => ((raw[index] ?? 0) / (totals[label] ?? 1)) * (examples.length / 2));
}

/** Trains a logistic regression with AdaGrad on the examples. */
function train(examples: readonly Example[]): Model {
  const weights = new Float32Array(FEATURE_COUNT);
  const squares = new Float32Array(FEATURE_COUNT).fill(1e-2);
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
      const { features, label } = examples[index] as Example;
      const probability = 1 / (1 + Math.exp(-(sumWeights(features, weights) + bias)));
      const error = (probability - label) * (exampleWeights[index] as number);
      bias -= 0.01 * error;
      const factors = factorsOf(features);
      for (const kind of ["ngrams", "cues"] as const) {
        for (const feature of features[kind]) {
          const weight = weights[feature] as number;
          const gradient = error * factors[kind] + L2 * weight;
          const square = (squares[feature] as number) + gradient * gradient;
          squares[feature] = square;
          weights[feature] = weight - (LEARNING_RATE * gradient) / Math.sqrt(square);
        }
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
  readonly isReliable: boolean;
  /** Score of the classifier; infinity if a rule already reports the text. */
  readonly score: number;
}

const scoreWith =
  ({ weights, bias }: Model) =>
  ({ author, label, weight, features, isKnown }: Example): Scored => ({
    author,
    label,
    isReliable: weight === 1,
    score: isKnown ? Number.POSITIVE_INFINITY : sumWeights(features, weights) + bias,
  });

/** Distributes author families over folds of similar size, so that each family is in one fold. */
function toFolds(examples: readonly Example[]): Example[][] {
  const folds: Example[][] = Array.from({ length: FOLDS }, () => []);
  const families = [...Map.groupBy(examples, ({ family }) => family).values()];
  for (const family of families.toSorted((one, other) => other.length - one.length)) {
    const smallest = folds.reduce((one, other) => (other.length < one.length ? other : one));
    smallest.push(...family);
  }
  return folds;
}

/** Scores the texts of each family with a model that was trained without that family. */
function crossValidate(examples: readonly Example[]): Scored[] {
  return toFolds(examples).flatMap((tested) => {
    const families = new Set(tested.map(({ family }) => family));
    const others = examples.filter(({ family }) => !families.has(family)).filter(isDistinctFrom(tested));
    return tested.map(scoreWith(train(others)));
  });
}

const rateAbove = (scored: readonly Scored[], threshold: number) =>
  scored.filter(({ score }) => score > threshold).length / scored.length;

/** Returns the lowest threshold at which the mean false-positive rate over authors is at most `MAX_FALSE_POSITIVE_RATE`. */
function chooseThreshold(scored: readonly Scored[]): number {
  const innocent = [
    ...Map.groupBy(
      scored.filter(({ label, isReliable }) => label === 0 && isReliable),
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
  const model = train(development.filter(isDistinctFrom(unseen)));
  printRates("Authors that were held out", unseen.map(scoreWith(model)), threshold);
}

if (values.write) {
  const { weights, bias } = train(development.filter(isDistinctFrom(unseen)));
  const scale = weights.reduce((max, weight) => Math.max(max, Math.abs(weight)), 0) / 127;
  const bytes = Int8Array.from(weights, (weight) => Math.round(weight / scale));
  const packed = deflateRawSync(bytes, { level: 9 });
  const folder = new URL("../../shared/guardrails/local/", import.meta.url);
  const path = new URL("classifier-model.ts", folder);
  const source = readFileSync(path, "utf8")
    .replace(/scale: .*,/, `scale: ${scale.toPrecision(6)},`)
    .replace(/bias: .*,/, `bias: ${bias.toPrecision(6)},`)
    .replace(/threshold: .*,/, `threshold: ${Number(threshold.toPrecision(3))},`);
  writeFileSync(path, source);
  writeFileSync(new URL("classifier-weights.bin", folder), packed);
  console.log(`\nwritten: ${packed.length} bytes`);
}
