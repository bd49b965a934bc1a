import { type Feature, featuresOfTokens, gather } from "./features.ts";
import { tokensOf } from "./tokens.ts";
import { bias, scale, table } from "./weights.ts";

/** What a text may be besides ordinary, in the order of the table of weights. */
export const classes = ["prompt_injection", "jailbreak", "dangerous", "abuse", "violence", "self_harm"] as const;

/** One of the things a text may be besides ordinary. */
export type Class = (typeof classes)[number];

/** Probability of each. */
export type Scores = Readonly<Record<Class, number>>;

const windowWords = 64;
const stride = 32;

/** A model's weights: `weights[bucket * classes.length + class]`. */
export interface Weights {
  readonly weights: ArrayLike<number>;
  readonly scale: number;
  readonly bias: readonly number[];
}

const trained: Weights = { weights: new Int8Array(Buffer.from(table, "base64")), scale, bias };

/** The windows of a normalised text, overlapping by half, each as its features. */
export function windowsOf(text: string): Feature[][] {
  const lists = featuresOfTokens(tokensOf(text));
  if (lists.length <= windowWords) return [gather(lists, 0, lists.length)];
  const windows: Feature[][] = [];
  for (let from = 0; from + stride < lists.length; from += stride) {
    windows.push(gather(lists, from, Math.min(from + windowWords, lists.length)));
  }
  return windows;
}

/** Probability of each class for one window; what remains to 1 is that it is ordinary. */
export function probabilities(window: readonly Feature[], model: Weights): number[] {
  const sums = [...model.bias];
  for (const [bucket, amount] of window) {
    const row = bucket * classes.length;
    for (let at = 0; at < sums.length; at++)
      (sums[at] as number) += amount * model.scale * (model.weights[row + at] ?? 0);
  }
  const largest = Math.max(0, ...sums);
  const powers = sums.map((sum) => Math.exp(sum - largest));
  const total = powers.reduce((sum, power) => sum + power, Math.exp(-largest));
  return powers.map((power) => power / total);
}

/** What the most suspicious part of a normalised text is, by probability. */
export function classify(text: string): Scores {
  let found: readonly number[] = classes.map(() => 0);
  let strongest = -1;
  for (const window of windowsOf(text)) {
    const chances = probabilities(window, trained);
    const suspicion = chances.reduce((sum, chance) => sum + chance, 0);
    if (suspicion <= strongest) continue;
    strongest = suspicion;
    found = chances;
  }
  return Object.fromEntries(classes.map((name, at) => [name, found[at] ?? 0])) as Record<Class, number>;
}
