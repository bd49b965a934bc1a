import { expect, it } from "vitest";
import { compilePattern } from "#shared/evaluations/scoring/linear-pattern.ts";
import { seededRandom } from "#test/support/seeded-random.ts";

it("linear pattern finds what JavaScript finds, in 20,000 random patterns and texts", () => {
  const random = seededRandom(7);
  const pick = <Entry>(entries: readonly Entry[]) => entries[Math.floor(random() * entries.length)] as Entry;
  const atoms = [
    "a",
    "b",
    "B",
    ".",
    "\\d",
    "\\w",
    "\\b",
    "\\B",
    "^",
    "$",
    "[ab]",
    "[^a]",
    "[a-c1]",
    "\\.",
    "é",
    "\\p{L}",
    "\\n",
  ];
  const toPattern = (depth: number): string =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
      const isGroup = depth > 0 && random() < 0.4;
      const atom = isGroup
        ? `${pick(["(", "(?:"])}${toPattern(depth - 1)}${pick(["", `|${toPattern(depth - 1)}`])})`
        : pick(atoms);
      const canRepeat = isGroup || !/^(?:\^|\$|\\[bB])$/.test(atom);
      return atom + (canRepeat ? pick(["", "", "*", "+", "?", "*?", "{2}", "{1,}", "{0,2}"]) : "");
    }).join("");
  let found = 0;
  for (let n = 0; n < 20_000; n++) {
    const [pattern, ignoreCase] = [toPattern(2), random() < 0.5];
    const text = Array.from({ length: Math.floor(random() * 8) }, () =>
      pick(["a", "b", "A", "c", "1", " ", ".", "é", "\n"]),
    ).join("");
    const expected = new RegExp(pattern, ignoreCase ? "iu" : "u").test(text);
    expect([pattern, text, ignoreCase, compilePattern(pattern, ignoreCase)(text)]).toEqual([
      pattern,
      text,
      ignoreCase,
      expected,
    ]);
    if (expected) found++;
  }
  expect([found > 5_000, found < 18_000]).toEqual([true, true]);
});

it("linear pattern takes a character outside of the basic plane as one", () => {
  expect(compilePattern("^a.b$", false)("a😀b")).toBe(true);
  expect(compilePattern("^[😀]$", false)("😀")).toBe(true);
  // JavaScript finds a position within the character here.
  expect(compilePattern("\\B", false)("a😀b")).toBe(false);
});

it.each(["(?=a)", "(?<!a)b", "(a)\\1", "(", "a**", "[", "(?:a{100}){100}", "a{2000}"])(
  "linear pattern refuses %s",
  (pattern) => {
    expect(() => compilePattern(pattern, false)).toThrow("");
  },
);

it("linear pattern takes time in proportion to the text, where backtracking takes exponential time", () => {
  for (const pattern of ["^(a+)+$", "(a|a)*b", "(a*)*c", "(.*)(.*)(.*)(.*)d"]) {
    const steps = compilePattern(pattern, false);
    // With backtracking, this would not end.
    expect(steps("a".repeat(10_000))).toBe(pattern.startsWith("^"));
  }
});
