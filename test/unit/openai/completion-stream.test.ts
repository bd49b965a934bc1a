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
