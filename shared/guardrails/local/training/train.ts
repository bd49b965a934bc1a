import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { classes, probabilities, type Weights, windowsOf } from "../classifier.ts";
import { buckets, type Feature } from "../features.ts";
import { normalise, unleet } from "../normalize.ts";
import { numbersFrom, textsOf } from "./templates.ts";

/*
 * Makes ../weights.ts from the texts in this directory: `node shared/guardrails/local/training/train.ts`; with `--check` it
 * only compares.
 * Softmax regression by AdaGrad over windows of texts. Of a bad text the window that looks worst is taken for bad, of an
 * ordinary one every window for ordinary. Nothing depends on time or chance: the same texts give the same weights.
 */

const passes = 20;
const rate = 0.35;
const decay = 2e-6;
/** Part of the features left out at each step, so that no single word is relied upon. */
const leftOut = 0.25;

interface Example {
  /** Index of the class, or -1 for an ordinary text. */
  readonly label: number;
  readonly windows: readonly Feature[][];
}

const next = numbersFrom(20_240_517);
const pick = <Value>(values: readonly Value[]) => values[Math.floor(next() * values.length)] as Value;

function shuffle<Value>(values: Value[]): Value[] {
  for (let at = values.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1));
    [values[at], values[other]] = [values[other] as Value, values[at] as Value];
  }
  return values;
}

const ordinary = textsOf("benign.txt", next);
const bad = classes.map((name) => textsOf(`${name.replace("prompt_", "").replace("_", "-")}.txt`, next));

/** Several ordinary texts in a row: a document, as far as words go. */
const document = (length: number) => Array.from({ length }, () => pick(ordinary)).join(pick([" ", "\n", "\n\n"]));

const example = (label: number, text: string): Example => ({ label, windows: windowsOf(unleet(normalise(text))) });

const examples = shuffle([
  ...ordinary.map((text) => example(-1, text)),
  ...Array.from({ length: 900 }, () => example(-1, document(2 + Math.floor(next() * 6)))),
  ...bad.flatMap((texts, label) => texts.map((text) => example(label, text))),
  // Hidden in something ordinary.
  ...(bad[0] ?? []).filter(() => next() < 0.3).map((text) => example(0, `${document(2)} ${text} ${document(1)}`)),
  ...(bad[1] ?? []).filter(() => next() < 0.15).map((text) => example(1, `${document(1)}\n${text}`)),
]);

const width = classes.length;
const weights = new Float64Array(buckets * width);
const squares = new Float64Array(buckets * width).fill(1e-6);
const bias = Array.from({ length: width }, () => -1);
const biasSquares = Array.from({ length: width }, () => 1e-6);
const model: Weights = { weights, scale: 1, bias };

function learn(window: readonly Feature[], label: number, step: number): void {
  const kept = window.filter(() => next() > leftOut);
  const chances = probabilities(kept, model);
  for (let at = 0; at < width; at++) {
    const slope = (chances[at] ?? 0) - (at === label ? 1 : 0);
    biasSquares[at] = (biasSquares[at] ?? 0) + slope * slope;
    bias[at] = (bias[at] ?? 0) - (step * 0.2 * slope) / Math.sqrt(biasSquares[at] ?? 1);
    for (const [bucket, amount] of kept) {
      const place = bucket * width + at;
      const own = slope * amount + decay * (weights[place] ?? 0);
      squares[place] = (squares[place] ?? 0) + own * own;
      weights[place] = (weights[place] ?? 0) - (step * own) / Math.sqrt(squares[place] ?? 1);
    }
  }
}

function suspicion(window: readonly Feature[], label: number): number {
  return probabilities(window, model)[label] ?? 0;
}

/** The weights of the later passes, averaged: the last one alone would lean to the examples it saw last. */
const averaged = new Float64Array(weights.length);
const averagedBias = bias.map(() => 0);
const averagedPasses = passes / 2;

for (let pass = 0; pass < passes; pass++) {
  const step = rate * (1 - pass / passes);
  for (const { label, windows } of shuffle(examples)) {
    if (label < 0) for (const window of windows) learn(window, label, step);
    else {
      const worst = windows.reduce((one, other) => (suspicion(other, label) > suspicion(one, label) ? other : one));
      learn(worst, label, step);
    }
  }
  if (pass < passes - averagedPasses) continue;
  for (let at = 0; at < weights.length; at++) averaged[at] = (averaged[at] ?? 0) + (weights[at] ?? 0) / averagedPasses;
  for (let at = 0; at < width; at++) averagedBias[at] = (averagedBias[at] ?? 0) + (bias[at] ?? 0) / averagedPasses;
}

const largest = averaged.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0);
const scale = Math.min(largest, 8) / 127;
const bytes = Int8Array.from(averaged, (weight) => Math.max(-127, Math.min(127, Math.round(weight / scale))));
const lines = [
  "// Made by training/train.ts from the texts beside it. Do not edit.",
  "",
  "/** Log-odds of each class against ordinary, before anything is known of a text. */",
  `export const bias: readonly number[] = [${averagedBias.map((value) => Number(value.toFixed(4))).join(", ")}];`,
  "",
  "/** What one step of the table is worth. */",
  `export const scale = ${Number(scale.toFixed(8))};`,
  "",
  "/** Signed bytes, a row of classes for each bucket of features, in base64. */",
  "export const table =",
  `  "${Buffer.from(bytes.buffer).toString("base64")}";`,
  "",
];
const file = join(import.meta.dirname, "../weights.ts");
if (process.argv.includes("--check")) {
  // Whether the weights in the repository are those that the texts give.
  process.exitCode = readFileSync(file, "utf8") === lines.join("\n") ? 0 : 1;
} else {
  writeFileSync(file, lines.join("\n"));
}

const used = bytes.reduce((count, weight) => count + (weight === 0 ? 0 : 1), 0);
console.log(
  `${examples.length} texts (${ordinary.length} ordinary), ${used} weights, ` +
    classes.map((name, at) => `${name} ${bad[at]?.length}`).join(", "),
);
