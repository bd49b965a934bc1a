import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { coalesceRequests } from "#shared/lib/request-coalescer.ts";

/** Calls with what each group was made of, in the order they began. */
function recorded(options: Parameters<typeof coalesceRequests<string, string>>[1] = {}) {
  const groups: string[][] = [];
  const call = coalesceRequests<string, string>(async (entries) => {
    groups.push([...entries]);
    await sleep(5);
    if (entries.includes("bad")) throw new Error("bad");
    return entries.map((entry) => entry.toUpperCase());
  }, options);
  return { groups, call };
}

describe("calls made together", () => {
  it("are made at once when there is nobody else, and share the next turn when there is", async () => {
    const { groups, call } = recorded();
    expect(await Promise.all(["a", "b", "c"].map(call))).toEqual(["A", "B", "C"]);
    expect(await call("d")).toBe("D");
    expect(groups).toEqual([["a"], ["b", "c"], ["d"]]);
  });

  it("are of one kind", async () => {
    const { groups, call } = recorded({ kindOf: (entry) => entry.slice(0, 1) });
    await Promise.all(["a1", "b1", "a2", "b2", "a3"].map(call));
    expect(groups).toEqual([["a1"], ["b1"], ["a2", "a3"], ["b2"]]);
  });

  it("have several lanes, and groups of a bounded size", async () => {
    const { groups, call } = recorded({ lanes: 2, atMost: 2 });
    await Promise.all(["a", "b", "c", "d", "e"].map(call));
    expect(groups).toEqual([["a"], ["b"], ["c", "d"], ["e"]]);
  });

  it("fail together, and those after them do not", async () => {
    const { groups, call } = recorded();
    const results = await Promise.allSettled(["a", "bad", "c"].map(call).concat(sleep(7).then(() => call("d"))));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    expect(groups).toEqual([["a"], ["bad", "c"], ["d"]]);
  });
});
