import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";

it("mapConcurrent() returns results in the order of the entries and limits concurrent calls", async () => {
  let active = 0;
  let highest = 0;
  const results = await mapConcurrent(
    [5, 1, 3, 2],
    async (delayMs) => {
      highest = Math.max(highest, ++active);
      await sleep(delayMs);
      active--;
      return delayMs * 2;
    },
    2,
  );
  expect(results).toEqual([10, 2, 6, 4]);
  expect(highest).toBe(2);
});

it("mapConcurrent() throws the first error after the calls in progress have ended, and starts no further calls", async () => {
  const ended: number[] = [];
  const mapped = mapConcurrent(
    [0, 1, 2, 3],
    async (entry) => {
      if (entry === 0) throw new Error("first");
      await sleep(20);
      ended.push(entry);
      throw new Error("second");
    },
    2,
  );
  await expect(mapped).rejects.toThrow("first");
  expect(ended).toEqual([1]);
});
