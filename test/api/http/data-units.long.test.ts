import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { isFullRun } from "#test/support/run-size.ts";
import {
  dataDependentOperations,
  measureOperations,
  type OperationUnits,
  toRow,
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

/**
 * Maximum number of measurements. Each operation must have the documented units in one of them, because timers add calls: an API
 * key's time of last use is written again when a minute begins between two requests, and a slow run is polled.
 */
const MAX_MEASUREMENTS = 3;

/** Returns the operations whose measured units differ from the documented ones. */
function findDifferences(
  measured: ReadonlyMap<string, UnitsOfTwoRequests>,
  documented: ReadonlyMap<string, UnitsOfTwoRequests>,
): { readonly operation: string; readonly measured: string; readonly documented: string }[] {
  const none: OperationUnits = { roundTrips: 0, calls: 0, read: 0, written: 0 };
  return [...measured].flatMap(([operation, turns]) => {
    const expected = documented.get(operation) ?? [none, none];
    const isAgreed = turns.every(({ roundTrips, ...counts }, turn) => {
      const { roundTrips: documentedTrips, ...documentedCounts } = expected[turn as 0 | 1];
      const isFast = roundTrips <= documentedTrips + ROUND_TRIP_TOLERANCE;
      return isFast && isDeepStrictEqual(counts, documentedCounts);
    });
    return isAgreed ? [] : [{ operation, measured: toRow(operation, turns), documented: toRow(operation, expected) }];
  });
}

describe.runIf(isFullRun)("table units by operation", () => {
  it("measured table units of each API operation equal the table in the docs", async () => {
    const documented = documentedUnits();
    let pending = new Set(documented.keys());
    for (let count = 1; pending.size > 0; count++) {
      const { units } = await measureOperations();
      expect([...units.keys()]).toEqual([...documented.keys()]);
      const fixed = [...units].filter(([id]) => pending.has(id) && !dataDependentOperations.has(id));
      const differences = findDifferences(new Map(fixed), documented);
      if (count === MAX_MEASUREMENTS) expect(differences).toEqual([]);
      pending = new Set(differences.map(({ operation }) => operation));
    }
  });
});
