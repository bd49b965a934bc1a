/** Numbers between 0 and 1 that are the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const syllables = ["ba", "ce", "di", "fo", "gu", "ha", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "vu", "za"];

/** The n-th word of a language of its own; no two are alike, and none is changed by stemming. */
export function word(n: number): string {
  let text = "";
  for (let rest = n + 16; rest > 0; rest >>>= 4) text += syllables[rest & 15];
  return `${text}x`;
}

/** How far the commonest word is from being everywhere: with 30 it is in about half of the passages. */
const commonest = 30;

/**
 * Says how words of real texts are spread, stop words left aside: few are common, most are rare (Zipf and Mandelbrot).
 * @returns gives the number of a word, 0 the most common one
 */
export function zipf(random: () => number, words: number): () => number {
  const sums = new Float64Array(words);
  let sum = 0;
  for (let n = 0; n < words; n++) {
    sum += 1 / (n + commonest) ** 1.05;
    sums[n] = sum;
  }
  return () => {
    const wanted = random() * sum;
    let [low, high] = [0, words - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sums[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Texts that are about something, and questions about the same. */
export interface TopicalTexts {
  /** The number of a topic. */
  topic(): number;
  /** A text of so many words, a share of them the topic's own. */
  about(topic: number, words: number, share?: number): string;
}

/** Makes texts whose words are spread as in real ones, each about one of 400 topics. */
export function topicalTexts(random: () => number): TopicalTexts {
  const pick = (below: number) => Math.floor(random() * below);
  const common = zipf(random, 60_000);
  const topics = Array.from({ length: 400 }, () => Array.from({ length: 60 }, () => 100 + pick(30_000)));
  const wordAbout = (topic: number, share: number) =>
    word(random() < share ? (topics[topic]?.[pick(60)] ?? 0) : common());
  return {
    topic: () => pick(topics.length),
    about: (topic, words, share = 0.25) => Array.from({ length: words }, () => wordAbout(topic, share)).join(" "),
  };
}
