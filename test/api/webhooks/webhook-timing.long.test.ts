import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { createChannel } from "#test/support/webhooks/channel.ts";

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/**
 * Returns the p-value of a permutation test: the probability of a difference of medians of at least the observed size
 * if the values were assigned to the two groups at random.
 */
function permutationTest(one: readonly number[], other: readonly number[]): number {
  const observed = Math.abs(median(one) - median(other));
  const all = [...one, ...other];
  const draws = 4_000;
  let asLarge = 1;
  for (let draw = 0; draw < draws; draw++) {
    for (let last = all.length - 1; last > 0; last--) {
      const index = Math.floor(Math.random() * (last + 1));
      [all[last], all[index]] = [all[index] ?? 0, all[last] ?? 0];
    }
    const half = all.slice(0, one.length);
    if (Math.abs(median(half) - median(all.slice(one.length))) >= observed) asLarge++;
  }
  return asLarge / (draws + 1);
}

it("webhook channel does not reveal its existence to other tenants by the response time", async () => {
  const stranger = new Client(newIdentity());
  const foreignIds = await Promise.all(Array.from({ length: 4 }, async () => (await createChannel()).id));
  const unknownIds = foreignIds.map(() => `c-${randomUUID()}`);
  const times = { foreign: [] as number[], unknown: [] as number[] };
  const measureLookup = async (id: string) => {
    const startedAt = performance.now();
    expect((await stranger.get(`/v1/webhooks/${id}/info`)).status).toBe(404);
    return performance.now() - startedAt;
  };
  for (let n = -20; n < 250; n++) {
    const pair = [
      () => measureLookup(foreignIds[Math.abs(n) % 4] ?? ""),
      () => measureLookup(unknownIds[Math.abs(n) % 4] ?? ""),
    ] as const;
    // Alternates the order of the two measurements.
    const [first, second] = n % 2 ? pair : [pair[1], pair[0]];
    const [one, other] = [await first(), await second()];
    if (n < 0) continue;
    times.foreign.push(n % 2 ? one : other);
    times.unknown.push(n % 2 ? other : one);
  }
  // If the two lookups take equal time, a lower p-value is very unlikely.
  const probability = permutationTest(times.foreign, times.unknown);
  expect(probability).toBeGreaterThan(0.0005);
});
