import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { coalesceRequests } from "#shared/lib/request-coalescer.ts";

/** Returns a coalesced call and the batches that it made, in the order they began. */
function createRecordedCall(options: Parameters<typeof coalesceRequests<string, string>>[1] = {}) {
  const batches: string[][] = [];
  const call = coalesceRequests<string, string>(async (entries) => {
    batches.push([...entries]);
    await sleep(5);
    if (entries.includes("bad")) throw new Error("bad");
    return entries.map((entry) => entry.toUpperCase());
  }, options);
  return { batches, call };
}

it("request coalescer, which batches concurrent calls, sends the first call immediately and batches the calls that arrive while it is in flight", async () => {
  const { batches, call } = createRecordedCall();
  expect(await Promise.all(["a", "b", "c"].map(call))).toEqual(["A", "B", "C"]);
  expect(await call("d")).toBe("D");
  expect(batches).toEqual([["a"], ["b", "c"], ["d"]]);
});

it("request coalescer, which batches concurrent calls, batches only calls of the same kind", async () => {
  const { batches, call } = createRecordedCall({ groupBy: (entry) => entry.slice(0, 1) });
  await Promise.all(["a1", "b1", "a2", "b2", "a3"].map(call));
  expect(batches).toEqual([["a1"], ["b1"], ["a2", "a3"], ["b2"]]);
});

it("request coalescer, which batches concurrent calls, limits the number of concurrent batches and the calls in each", async () => {
  const { batches, call } = createRecordedCall({ maxConcurrentBatches: 2, maxBatchSize: 2 });
  await Promise.all(["a", "b", "c", "d", "e"].map(call));
  expect(batches).toEqual([["a"], ["b"], ["c", "d"], ["e"]]);
});

it("request coalescer, which batches concurrent calls, with joinsConcurrentCalls also batches the first call with calls made in the same tick", async () => {
  const { batches, call } = createRecordedCall({
    joinsConcurrentCalls: true,
    maxConcurrentBatches: 2,
    maxBatchSize: 2,
  });
  await Promise.all(["a", "b", "c", "d", "e"].map(call));
  await Promise.all(["f", "g"].map(call));
  expect(batches).toEqual([["a", "b"], ["c", "d"], ["e"], ["f", "g"]]);
});

it("request coalescer, which batches concurrent calls, rejects every call of a failed batch, but no later call", async () => {
  const { batches, call } = createRecordedCall();
  const results = await Promise.allSettled(["a", "bad", "c"].map(call).concat(sleep(7).then(() => call("d"))));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
  expect(batches).toEqual([["a"], ["bad", "c"], ["d"]]);
});
