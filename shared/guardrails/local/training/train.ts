import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { classes, probabilities, toWindows, type Weights } from "../classifier.ts";
import { BUCKET_COUNT, type Feature } from "../features.ts";
import { normalize, unleet } from "../normalize.ts";
import { expandTemplates, seededRandom } from "./templates.ts";

/*
 * Generates ../weights.ts from the texts in this directory: `node shared/guardrails/local/training/train.ts`; `--check`
 * compares without writing.
 * Softmax regression with AdaGrad over windows of texts. A suspicious text contributes its highest-scoring window, an
 * ordinary text all of its windows. Deterministic: the same texts yield the same weights.
 */

const PASSES = 20;
const LEARNING_RATE = 0.35;
const WEIGHT_DECAY = 2e-6;
/** Share of features dropped at each step, so that the model does not rely on single words. */
const DROPOUT_RATE = 0.25;

interface Example {
  /** Index of the class, or -1 for an ordinary text. */
  readonly label: number;
  readonly windows: readonly Feature[][];
}

const next = seededRandom(20_240_517);
const pick = <Value>(values: readonly Value[]) => values[Math.floor(next() * values.length)] as Value;

function shuffle<Value>(values: Value[]): Value[] {
  for (let index = values.length - 1; index > 0; index--) {
    const other = Math.floor(next() * (index + 1));
    [values[index], values[other]] = [values[other] as Value, values[index] as Value];
  }
  return values;
}

const ordinary = expandTemplates("benign.txt", next);
const suspicious = classes.map((name) => expandTemplates(`${name.replace("prompt_", "").replace("_", "-")}.txt`, next));

/** Joins several ordinary texts to a document. */
const createDocument = (length: number) => Array.from({ length }, () => pick(ordinary)).join(pick([" ", "\n", "\n\n"]));

const toExample = (label: number, text: string): Example => ({ label, windows: toWindows(unleet(normalize(text))) });

const examples = shuffle([
  ...ordinary.map((text) => toExample(-1, text)),
  ...Array.from({ length: 900 }, () => toExample(-1, createDocument(2 + Math.floor(next() * 6)))),
  ...suspicious.flatMap((texts, label) => texts.map((text) => toExample(label, text))),
  // Attacks embedded in ordinary text.
  ...(suspicious[0] ?? [])
    .filter(() => next() < 0.3)
    .map((text) => toExample(0, `${createDocument(2)} ${text} ${createDocument(1)}`)),
  ...(suspicious[1] ?? []).filter(() => next() < 0.15).map((text) => toExample(1, `${createDocument(1)}\n${text}`)),
]);

const width = classes.length;
const weights = new Float64Array(BUCKET_COUNT * width);
const squares = new Float64Array(BUCKET_COUNT * width).fill(1e-6);
const bias = Array.from({ length: width }, () => -1);
const biasSquares = Array.from({ length: width }, () => 1e-6);
const model: Weights = { weights, scale: 1, bias };

function learn(window: readonly Feature[], label: number, step: number): void {
  const features = window.filter(() => next() > DROPOUT_RATE);
  const predicted = probabilities(features, model);
  for (let index = 0; index < width; index++) {
    const error = (predicted[index] ?? 0) - (index === label ? 1 : 0);
    biasSquares[index] = (biasSquares[index] ?? 0) + error * error;
    bias[index] = (bias[index] ?? 0) - (step * 0.2 * error) / Math.sqrt(biasSquares[index] ?? 1);
    for (const [bucket, amount] of features) {
      const position = bucket * width + index;
      const gradient = error * amount + WEIGHT_DECAY * (weights[position] ?? 0);
      squares[position] = (squares[position] ?? 0) + gradient * gradient;
      weights[position] = (weights[position] ?? 0) - (step * gradient) / Math.sqrt(squares[position] ?? 1);
    }
  }
}

function getProbability(window: readonly Feature[], label: number): number {
  return probabilities(window, model)[label] ?? 0;
}

/** Average weights of the later passes; those of the last pass alone are biased towards its last examples. */
const averaged = new Float64Array(weights.length);
const averagedBias = bias.map(() => 0);
const AVERAGED_PASSES = PASSES / 2;

for (let pass = 0; pass < PASSES; pass++) {
  const step = LEARNING_RATE * (1 - pass / PASSES);
  for (const { label, windows } of shuffle(examples)) {
    if (label < 0) for (const window of windows) learn(window, label, step);
    else {
      const highest = windows.reduce((a, b) => (getProbability(b, label) > getProbability(a, label) ? b : a));
      learn(highest, label, step);
    }
  }
  if (pass < PASSES - AVERAGED_PASSES) continue;
  for (let index = 0; index < weights.length; index++) {
    averaged[index] = (averaged[index] ?? 0) + (weights[index] ?? 0) / AVERAGED_PASSES;
  }
  for (let index = 0; index < width; index++) {
    averagedBias[index] = (averagedBias[index] ?? 0) + (bias[index] ?? 0) / AVERAGED_PASSES;
  }
}

const largest = averaged.reduce((max, weight) => Math.max(max, Math.abs(weight)), 0);
const scale = Math.min(largest, 8) / 127;
const bytes = Int8Array.from(averaged, (weight) => Math.max(-127, Math.min(127, Math.round(weight / scale))));
const lines = [
  "// Generated by training/train.ts from the texts next to it. Do not edit.",
  "",
  "/** Bias of each class: its log-odds against an ordinary text without any features. */",
  `export const bias: readonly number[] = [${averagedBias.map((value) => Number(value.toFixed(4))).join(", ")}];`,
  "",
  "/** Weight that one unit in the table stands for. */",
  `export const scale = ${Number(scale.toFixed(8))};`,
  "",
  "/** Weights as signed bytes in base64: one row per feature bucket, one byte per class. */",
  "export const table =",
  `  "${Buffer.from(bytes.buffer).toString("base64")}";`,
  "",
];
const file = join(import.meta.dirname, "../weights.ts");
if (process.argv.includes("--check")) {
  process.exitCode = readFileSync(file, "utf8") === lines.join("\n") ? 0 : 1;
} else {
  writeFileSync(file, lines.join("\n"));
}

const used = bytes.reduce((count, weight) => count + (weight === 0 ? 0 : 1), 0);
console.log(
  `${examples.length} texts (${ordinary.length} ordinary), ${used} weights, ` +
    classes.map((name, index) => `${name} ${suspicious[index]?.length}`).join(", "),
);
