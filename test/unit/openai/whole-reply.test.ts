import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { Reply } from "#shared/http/reply.ts";
import { StreamReply } from "#shared/http/stream-endpoint.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import type { Completion } from "#shared/openai/completions/complete.ts";
import { wholeReply } from "#shared/openai/completions/whole-reply.ts";
import { setFunctionEnvironment } from "#test/support/handler-events.ts";

beforeAll(() => setFunctionEnvironment({}));
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const answer = new Reply(200, { text: "Hello" } as never, { "x-completion-id": "c-1" });

/** Responds to a completion that takes some seconds, and returns the response with the texts of a started one. */
async function respondAfter(seconds: number, error?: ServiceError) {
  const completion = new Promise<Completion>((resolve, reject) => {
    setTimeout(() => (error ? reject(error) : resolve({} as Completion)), seconds * 1_000);
  });
  const whole = completion.then(() => answer);
  const texts: string[] = [];
  const respond = async () => {
    const onLate = () => ({ "x-completion-id": "c-2" });
    const reply = await wholeReply({ completion, whole, requestId: "request-1", onLate });
    if (!(reply instanceof StreamReply)) return { reply, texts, end: "whole" };
    try {
      for await (const text of reply.chunks) texts.push(String(text));
      return { reply, texts, end: "complete" };
    } catch {
      return { reply, texts, end: "cut off" };
    }
  };
  const responding = respond();
  responding.catch(() => {});
  await vi.advanceTimersByTimeAsync((seconds + 1) * 1_000);
  return responding;
}

it("non-streamed reply of the OpenAI-compatible API is the answer itself, or the error with its own status, if it comes within 39 seconds", async () => {
  for (const seconds of [1, 39]) {
    const { reply, texts, end } = await respondAfter(seconds);
    expect(reply).toBe(answer);
    expect([texts, end, vi.getTimerCount()]).toEqual([[], "whole", 0]);
    const error = new ServiceError("model_error", "Refused");
    await expect(respondAfter(seconds, error)).rejects.toBe(error);
    expect(vi.getTimerCount()).toBe(0);
  }
});

it("non-streamed reply of the OpenAI-compatible API with a late answer sends white space before its JSON, so that no hop closes the connection", async () => {
  const { reply, texts, end } = await respondAfter(290);
  expect(reply.headers).toEqual({ "content-type": "application/json", "x-completion-id": "c-2" });
  expect(texts.slice(0, -1)).toEqual(Array.from({ length: 27 }, () => "\n"));
  expect([JSON.parse(texts.join("")), end]).toEqual([{ text: "Hello" }, "complete"]);
});

it("non-streamed reply of the OpenAI-compatible API that fails late is cut off after its error, so that clients do not take it for an answer", async () => {
  const { reply, texts, end } = await respondAfter(300, new ServiceError("timeout", "Late"));
  expect(reply.headers).toEqual({ "content-type": "application/json", "x-completion-id": "c-2" });
  expect(texts.slice(0, -1)).toEqual(Array.from({ length: 28 }, () => "\n"));
  expect([JSON.parse(texts.join("")), end]).toEqual([
    { error: expect.objectContaining({ message: "Late" }) },
    "cut off",
  ]);
});
