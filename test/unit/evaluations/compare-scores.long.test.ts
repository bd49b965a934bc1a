import { expect, it } from "vitest";
import { compareScores } from "#shared/evaluations/scoring/compare-scores.ts";
import { seededRandom } from "#test/support/seeded-random.ts";

const pairs = (count: number, toPair: (n: number) => readonly [number, number]) =>
  Array.from({ length: count }, (_, n) => toPair(n));

it("interval of a difference contains the true one in 95 ± 2 % of 2,000 simulated runs", () => {
  const random = seededRandom(11);
  // Items differ in difficulty; the candidate fulfills one of three expectations less often.
  const probabilities = { baseline: 0.8, candidate: 0.7 };
  const shareOf = (probability: number, difficulty: number) =>
    [1, 2, 3].filter(() => random() < probability * difficulty).length / 3;
  const trueDifference = (probabilities.candidate - probabilities.baseline) * 0.75;
  let covered = 0;
  for (let run = 0; run < 2_000; run++) {
    const comparison = compareScores(
      pairs(100, () => {
        const difficulty = 0.5 + random() / 2;
        return [shareOf(probabilities.baseline, difficulty), shareOf(probabilities.candidate, difficulty)];
      }),
    );
    const [low, high] = comparison?.interval ?? [0, 0];
    if (low <= trueDifference && trueDifference <= high) covered++;
  }
  console.log(`coverage of the interval: ${covered / 20} %`);
  expect(Math.abs(covered / 2_000 - 0.95)).toBeLessThan(0.02);
});
