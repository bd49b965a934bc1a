/** Returns a seeded generator of numbers between 0 and 1. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const syllables = ["ba", "ce", "di", "fo", "gu", "ha", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "vu", "za"];

/** Returns the n-th word of an artificial vocabulary. Words are distinct and unaffected by stemming. */
export function syntheticWord(n: number): string {
  let text = "";
  for (let rest = n + 16; rest > 0; rest >>>= 4) text += syllables[rest & 15];
  return `${text}x`;
}

/** Offset of the Zipf–Mandelbrot distribution: with 30, the most frequent word is in about half of the passages. */
const RANK_OFFSET = 30;

/**
 * Returns a sampler of word ranks with the Zipf–Mandelbrot distribution of real texts without stop words.
 * Rank 0 is the most frequent word.
 */
export function zipfSampler(random: () => number, words: number): () => number {
  const sums = new Float64Array(words);
  let sum = 0;
  for (let n = 0; n < words; n++) {
    sum += 1 / (n + RANK_OFFSET) ** 1.05;
    sums[n] = sum;
  }
  return () => {
    const target = random() * sum;
    let [low, high] = [0, words - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sums[middle] ?? 0) < target) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Generator of texts and queries about shared topics. */
export interface TopicalTexts {
  /** Returns the number of a random topic. */
  randomTopic(): number;
  /** Returns a text of `words` words; `share` is the fraction drawn from the topic's own vocabulary. */
  textAbout(topic: number, words: number, share?: number): string;
}

/** Creates a generator of texts with a realistic word distribution, each about one of 400 topics. */
export function topicalTexts(random: () => number): TopicalTexts {
  const pick = (below: number) => Math.floor(random() * below);
  const common = zipfSampler(random, 60_000);
  const topics = Array.from({ length: 400 }, () => Array.from({ length: 60 }, () => 100 + pick(30_000)));
  const topicalWord = (topic: number, share: number) =>
    syntheticWord(random() < share ? (topics[topic]?.[pick(60)] ?? 0) : common());
  return {
    randomTopic: () => pick(topics.length),
    textAbout: (topic, words, share = 0.25) => Array.from({ length: words }, () => topicalWord(topic, share)).join(" "),
  };
}
