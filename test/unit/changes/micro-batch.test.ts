import { expect, it } from "vitest";
import { microBatch } from "#shared/changes/micro-batch.ts";

it("microBatch(), which collects concurrent calls, processes concurrent entries in one batch and runs one batch at a time", async () => {
  const batches: number[][] = [];
  let activeBatches = 0;
  const run = microBatch<number>(async (entries) => {
    expect(++activeBatches).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    batches.push([...entries]);
    activeBatches--;
  });
  const first = [run(1), run(2), run(3)];
  await new Promise((resolve) => setTimeout(resolve, 20));
  await Promise.all([...first, run(4), run(5)]);
  expect(batches).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

it("microBatch(), which collects concurrent calls, retries the entries of a failed batch one by one", async () => {
  const done: number[] = [];
  const run = microBatch<number>(async (entries) => {
    if (entries.includes(2)) throw new Error("two");
    done.push(...entries);
  });
  const results = await Promise.allSettled([1, 2, 3].map(run));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(done).toEqual([1, 3]);
});

it("microBatch(), which collects concurrent calls, rejects all entries of a batch without retries when the error is temporary", async () => {
  let attempts = 0;
  const run = microBatch<number>(async () => {
    attempts++;
    throw Object.assign(new Error("busy"), { name: "ThrottlingException" });
  });
  const results = await Promise.allSettled([1, 2].map(run));
  expect([attempts, ...results.map(({ status }) => status)]).toEqual([1, "rejected", "rejected"]);
});
