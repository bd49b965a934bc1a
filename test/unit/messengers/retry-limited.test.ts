import { beforeEach, expect, it, vi } from "vitest";
import { retryLimited } from "#shared/messengers/retry-limited.ts";

const pauses: number[] = [];

vi.mock("node:timers/promises", () => ({ setTimeout: async (ms: number) => void pauses.push(ms) }));

beforeEach(() => {
  pauses.length = 0;
});

/** Sends a request that is answered with each of the statuses in turn, and with the last one from then on. */
async function send(...answers: readonly (readonly [status: number, retryAfter?: string])[]) {
  let count = 0;
  const { response } = await retryLimited(async () => {
    const [status, retryAfter] = answers[Math.min(count++, answers.length - 1)] ?? [0];
    return { response: { status, headers: retryAfter ? { "retry-after": retryAfter } : {} } as never };
  });
  return [(response as { status: number }).status, count];
}

it("retryLimited() sends a rate-limited request again after the pause that the messenger asks for, or after a second", async () => {
  expect(await send([429, "7"], [429], [201])).toEqual([201, 3]);
  expect(pauses).toEqual([7_000, 1_000]);
});

it("retryLimited() gives up after five attempts, and at once if the pause is longer than a minute", async () => {
  expect(await send([429, "1"])).toEqual([429, 5]);
  expect(await send([429, "61"])).toEqual([429, 1]);
});

it("retryLimited() sends no failed request again, because its message may have been posted", async () => {
  expect(await send([502], [201])).toEqual([502, 1]);
  expect(pauses).toEqual([]);
});
