import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { superviseStream } from "#shared/models/supervise-stream.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Opens a stream of three parts that belong to the answer. */
async function open() {
  const close = vi.fn();
  const parts = (async function* () {
    yield* ["one", "two", "three"];
  })();
  const timeouts = { firstTokenMs: 5_000, idleMs: 2_000 };
  return {
    close,
    stream: await superviseStream(
      async () => ({ parts, close }),
      () => true,
      timeouts,
      undefined,
    ),
  };
}

it("superviseStream() closes a stream that the caller does not start to read within a minute", async () => {
  const { close } = await open();
  await vi.advanceTimersByTimeAsync(59_000);
  expect(close).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(close).toHaveBeenCalledOnce();
});

it("superviseStream() waits for a caller that takes minutes for a part, and closes the stream after the last one", async () => {
  const { stream, close } = await open();
  const received: string[] = [];
  for await (const part of stream) {
    received.push(part);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(close).not.toHaveBeenCalled();
  }
  expect(received).toEqual(["one", "two", "three"]);
  expect(close).toHaveBeenCalledOnce();
});
