import { expect, it } from "vitest";
import { compareScores, signTest } from "#shared/evaluations/scoring/compare-scores.ts";

it("comparison counts better, worse and same items", () => {
  const scores = [
    [0, 1],
    [0, 0.5],
    [1, 0],
    [1, 1],
  ] as const;
  expect(compareScores(scores)).toMatchObject({ better: 2, worse: 1, same: 1, difference: 0.125 });
  expect(compareScores([])).toBe(null);
});

it.each([
  [0, 0, 1],
  [5, 0, 0.0625],
  [8, 2, 0.109375],
  [60, 40, 0.0568879],
  [1_100, 900, 0.0000085],
])(
  "sign test of %i better and %i worse items has the p-value of the binomial distribution",
  (better, worse, expected) => {
    expect(signTest(better, worse)).toBeCloseTo(expected, 6);
    expect(signTest(worse, better)).toBe(signTest(better, worse));
  },
);
