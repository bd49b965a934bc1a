import { checkSync } from "recheck";
import { expect, it, vi } from "vitest";
import { allowedExpressions } from "#test/support/growth/allowed-expressions.ts";
import { type Expression, findExpressions } from "#test/support/growth/expressions.ts";

// The check runs in this process. Its other back ends are programs for single platforms.
vi.stubEnv("RECHECK_SYNC_BACKEND", "pure");

/** Time for one expression. The slowest takes two seconds of a processor. */
const TIMEOUT_MS = 60_000;

const expressions = findExpressions(["shared", "functions"]);
const allowed = allowedExpressions.flatMap((group) =>
  Object.entries(group.expressions).flatMap(([file, beginnings]) =>
    beginnings.map((beginning) => ({ file, beginning })),
  ),
);

const isAllowed = ({ file, pattern }: Expression) =>
  allowed.some((entry) => entry.file === file && pattern.startsWith(entry.beginning));

/** Returns undefined if the automaton of `recheck` proves that an expression takes linear time. */
function findFault({ pattern, flags }: Expression): string | undefined {
  try {
    const result = checkSync(pattern, flags, { checker: "automaton", timeout: TIMEOUT_MS });
    if (result.status === "safe") return undefined;
    return result.status === "vulnerable" ? result.complexity.summary : result.error.kind;
  } catch (error) {
    return String(error);
  }
}

it("regular expression that the list of allowed ones does not name is linear, as recheck proves", () => {
  const checked = expressions.filter((expression) => !isAllowed(expression));
  expect(checked.length).toBeGreaterThan(600);
  const faults = checked.flatMap((expression) => {
    const fault = findFault(expression);
    return fault ? [`${expression.file}: /${expression.pattern}/${expression.flags}: ${fault}`] : [];
  });
  expect(faults).toEqual([]);
});

it("list of allowed expressions names only expressions of the sources, each once", () => {
  const stale = allowed.filter(
    ({ file, beginning }) =>
      !expressions.some(({ file: each, pattern }) => each === file && pattern.startsWith(beginning)),
  );
  expect(stale).toEqual([]);
  expect(new Set(allowed.map(({ file, beginning }) => `${file} ${beginning}`)).size).toBe(allowed.length);
});
