import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isFullRun } from "#test/support/run-size.ts";
import {
  dataDependentOperations,
  measureOperations,
  type OperationUnits,
  type UnitsOfTwoRequests,
} from "#test/support/tables/operation-units.ts";

/**
 * Permitted excess of round trips over the documented number: on a busy machine, concurrent calls can look sequential.
 */
const ROUND_TRIP_TOLERANCE = 1;

/** Reads the table of `docs/data-units.md`. */
function documentedUnits(): Map<string, UnitsOfTwoRequests> {
  const [, table = ""] = readFileSync("docs/data-units.md", "utf8").split("<!-- operations -->");
  return new Map(
    [...table.matchAll(/^\| (\w+) \| (.*\d) \|$/gm)].map(([, operation = "", cells = ""]) => {
      const pairs = cells.split(" | ").map((cell) => cell.split(" / ").map(Number));
      const toUnits = (turn: 0 | 1): OperationUnits => {
        const [roundTrips = 0, calls = 0, read = 0, written = 0] = pairs.map((pair) => pair[turn] ?? 0);
        return { roundTrips, calls, read, written };
      };
      return [operation, [toUnits(0), toUnits(1)]];
    }),
  );
}

describe.runIf(isFullRun)("table units by operation", () => {
  it("measured table units of each API operation equal the table in the docs", { timeout: 600_000 }, async () => {
    const { units } = await measureOperations();
    const documented = documentedUnits();
    expect([...documented.keys()]).toEqual([...units.keys()]);
    const isFixed = ([operation]: readonly [string, unknown]) => !dataDependentOperations.has(operation);
    const withoutRoundTrips = (rows: ReadonlyMap<string, UnitsOfTwoRequests>) =>
      Object.fromEntries(
        [...rows].filter(isFixed).map(([id, turns]) => [id, turns.map(({ roundTrips: _, ...counts }) => counts)]),
      );
    expect(withoutRoundTrips(units)).toEqual(withoutRoundTrips(documented));
    const slower = [...units].filter(isFixed).flatMap(([id, turns]) =>
      turns
        .map(({ roundTrips }, turn) => ({
          id,
          roundTrips,
          documented: documented.get(id)?.[turn as 0 | 1].roundTrips ?? 0,
        }))
        .filter((row) => row.roundTrips > row.documented + ROUND_TRIP_TOLERANCE),
    );
    expect(slower).toEqual([]);
  });
});
