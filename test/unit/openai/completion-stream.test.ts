import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { ServiceError } from "#shared/lib/errors.ts";
import { completionStream } from "#shared/openai/completions/completion-stream.ts";
import { setFunctionEnvironment } from "#test/support/handler-events.ts";

beforeAll(() => setFunctionEnvironment({}));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it("completion stream whose first token takes ten minutes sends a comment every nine seconds", async () => {
  vi.useFakeTimers();
  const opening = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new ServiceError("timeout", "Late")), 600_000);
  });
  const format = { events: () => Array.fromAsync([]) as never, error: () => "late" };
  const texts: string[] = [];
  const read = async () => {
    for await (const text of completionStream(opening, true, format, "request-1")) texts.push(text);
  };
  const reading = expect(read()).rejects.toThrow("cut off");
  await vi.advanceTimersByTimeAsync(601_000);
  await reading;
  expect([texts[0], texts.at(-1)]).toEqual([": waiting\n\n", "late"]);
  expect(texts.filter((text) => text === ": still here\n\n")).toHaveLength(66);
});

it("completion stream that fails ends uncleanly after its error event, and is counted apart from crashes", async () => {
  const lines: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  const failed = Promise.reject(new ServiceError("model_error", "The provider failed."));
  const format = { events: () => Array.fromAsync([]) as never };
  const texts: string[] = [];
  const read = async () => {
    for await (const text of completionStream(failed, false, format, "request-1")) texts.push(text);
  };
  await expect(read()).rejects.toThrow("cut off");
  expect(texts.join("")).toContain('"error"');
  expect(lines.join("")).toContain('"cut_off_streams":1');
});

it.each([
  ["between two texts", 2],
  ["during a heartbeat", 3],
  ["before the completion has started", 1],
])("completion stream ends the texts of its answer when the client leaves %s", async (_, readTexts) => {
  vi.useFakeTimers();
  const opening = Promise.withResolvers<never>();
  const silence = Promise.withResolvers<void>();
  let [begun, ended] = [0, 0];
  const format = {
    async *events() {
      begun++;
      try {
        yield "text";
        await silence.promise;
        yield "more";
      } finally {
        ended++;
      }
    },
  };
  const stream = completionStream(opening.promise, true, format, "request-1");
  const read: unknown[] = [];
  for (let count = 0; count < readTexts; count++) {
    const next = stream.next();
    if (count === 1) opening.resolve({} as never);
    await vi.advanceTimersByTimeAsync(9_000);
    read.push((await next).value);
  }
  await stream.return();
  opening.resolve({} as never);
  silence.resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(read).toEqual([": waiting\n\n", "text", ": still here\n\n"].slice(0, readTexts));
  expect(ended).toBe(begun);
});
