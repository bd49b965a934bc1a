import { collectFeatures, extractFeatures, type Feature } from "./features.ts";
import { tokenize } from "./tokenize.ts";
import { bias, scale, table } from "./weights.ts";

/** Classes of suspicious texts, in the order of the weight table. */
export const classes = ["prompt_injection", "jailbreak", "dangerous", "abuse", "violence", "self_harm"] as const;

export type Class = (typeof classes)[number];

/** Probability of each class. */
export type Scores = Readonly<Record<Class, number>>;

/** Words in a window, and between the starts of two windows. */
const WINDOW_WORDS = 64;
const WINDOW_STRIDE_WORDS = 32;

/** Weights of a model: `weights[bucket * classes.length + class]`. */
export interface Weights {
  readonly weights: ArrayLike<number>;
  readonly scale: number;
  readonly bias: readonly number[];
}

const trainedWeights: Weights = { weights: new Int8Array(Buffer.from(table, "base64")), scale, bias };

/** Splits a normalized text into windows that overlap by half and returns the features of each. */
export function toWindows(text: string): Feature[][] {
  const featureLists = extractFeatures(tokenize(text));
  if (featureLists.length <= WINDOW_WORDS) return [collectFeatures(featureLists, 0, featureLists.length)];
  const windows: Feature[][] = [];
  for (let from = 0; from + WINDOW_STRIDE_WORDS < featureLists.length; from += WINDOW_STRIDE_WORDS) {
    windows.push(collectFeatures(featureLists, from, Math.min(from + WINDOW_WORDS, featureLists.length)));
  }
  return windows;
}

/** Returns the probability of each class for one window; the rest up to 1 is the probability of an ordinary text. */
export function probabilities(window: readonly Feature[], model: Weights): number[] {
  const sums = [...model.bias];
  for (const [bucket, amount] of window) {
    const row = bucket * classes.length;
    for (let index = 0; index < sums.length; index++) {
      (sums[index] as number) += amount * model.scale * (model.weights[row + index] ?? 0);
    }
  }
  const largest = Math.max(0, ...sums);
  const powers = sums.map((sum) => Math.exp(sum - largest));
  const total = powers.reduce((sum, power) => sum + power, Math.exp(-largest));
  return powers.map((power) => power / total);
}

/** Returns the class probabilities of the most suspicious window of a normalized text. */
export function classify(text: string): Scores {
  let highest: readonly number[] = classes.map(() => 0);
  let highestTotal = -1;
  for (const window of toWindows(text)) {
    const current = probabilities(window, trainedWeights);
    const total = current.reduce((sum, probability) => sum + probability, 0);
    if (total <= highestTotal) continue;
    highestTotal = total;
    highest = current;
  }
  return Object.fromEntries(classes.map((name, index) => [name, highest[index] ?? 0])) as Record<Class, number>;
}
