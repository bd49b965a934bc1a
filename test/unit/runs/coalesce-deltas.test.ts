import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { coalesceDeltas } from "#shared/runs/coalesce-deltas.ts";
import type { RunEvent } from "#shared/runs/events.ts";

const delta = (content: string): RunEvent => ({
  type: "assistant_message",
  data: { message_id: "m", content, final: false },
});
const done: RunEvent = { type: "done", data: { message_id: "m", block_count: 1 } };

const textOf = (event: RunEvent) =>
  event.type === "assistant_message" && !event.data.final ? event.data.content : event.type;

it("coalesceDeltas(), which joins short text events, sends the first event at once, joins the following burst and keeps the order of other events", async () => {
  async function* events(): AsyncGenerator<RunEvent, void> {
    for (const text of ["a", "b", "c"]) yield delta(text);
    yield done;
    yield delta("d");
  }
  const received: string[] = [];
  await coalesceDeltas(events(), (event) => received.push(textOf(event)));
  expect(received).toEqual(["a", "bc", "done", "d"]);
});

it("coalesceDeltas(), which joins short text events, sends the joined text although no further event arrives", async () => {
  const blocked = Promise.withResolvers<void>();
  async function* events(): AsyncGenerator<RunEvent, void> {
    yield delta("a");
    yield delta("b");
    await blocked.promise;
    yield done;
  }
  const received: string[] = [];
  await coalesceDeltas(events(), (event) => {
    received.push(textOf(event));
    if (textOf(event) === "b") blocked.resolve();
  });
  expect(received).toEqual(["a", "b", "done"]);
});

it("coalesceDeltas(), which joins short text events, does not delay events that are further apart than the time window", async () => {
  async function* events(): AsyncGenerator<RunEvent, void> {
    for (const text of ["a", "b"]) {
      yield delta(text);
      await sleep(120);
    }
  }
  const received: string[] = [];
  await coalesceDeltas(events(), (event) => received.push(textOf(event)));
  expect(received).toEqual(["a", "b"]);
});

it("coalesceDeltas(), which joins short text events, sends the joined text before it passes on an error", async () => {
  async function* events(): AsyncGenerator<RunEvent, void> {
    yield delta("a");
    yield delta("b");
    throw new Error("broken");
  }
  const received: string[] = [];
  const read = async () => {
    await coalesceDeltas(events(), (event) => received.push(textOf(event)));
  };
  await expect(read()).rejects.toThrow("broken");
  expect(received).toEqual(["a", "b"]);
});

it("coalesceDeltas(), which joins short text events, does not delay a text because an earlier one was sent before another event", async () => {
  vi.useFakeTimers();
  async function* events(): AsyncGenerator<RunEvent, void> {
    yield delta("a");
    await vi.advanceTimersByTimeAsync(5);
    yield delta("b");
    await vi.advanceTimersByTimeAsync(10);
    yield done;
    await vi.advanceTimersByTimeAsync(11);
    yield delta("c");
    received.push("(no time has passed)");
  }
  const received: string[] = [];
  await coalesceDeltas(events(), (event) => received.push(textOf(event)));
  vi.useRealTimers();
  expect(received).toEqual(["a", "b", "done", "c", "(no time has passed)"]);
});
