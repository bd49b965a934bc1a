import { createParser } from "eventsource-parser";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventStream } from "#shared/runs/event-stream.ts";
import type { RunEvent } from "#shared/runs/events.ts";
import { FrameFeed } from "#shared/runs/frame-feed.ts";

const start = Date.parse("2026-01-01T00:00:00Z");
const messageId = "m";

const piece = (content: string): RunEvent => ({
  type: "assistant_message",
  data: { message_id: messageId, content, final: false },
});
const done: RunEvent = { type: "done", data: { message_id: messageId, block_count: 1 } };

/** Reads a stream to its end; `at` is when each part came, in seconds. */
function reading(feed: FrameFeed, options: { afterSeq?: number; expiresAt?: number } = {}) {
  const parts: { at: number; text: string }[] = [];
  const stream = eventStream({ messageId, source: feed, expiresAt: null, ...options });
  const finished = (async () => {
    for await (const text of stream) parts.push({ at: (Date.now() - start) / 1_000, text });
  })();
  return { parts, finished };
}

function eventsIn(parts: readonly { text: string }[]) {
  const events: { id: string | undefined; event: string | undefined; data: unknown }[] = [];
  const parser = createParser({ onEvent: ({ id, event, data }) => events.push({ id, event, data: JSON.parse(data) }) });
  for (const { text } of parts) parser.feed(text);
  return events;
}

function feedOf(...events: RunEvent[]): FrameFeed {
  const feed = new FrameFeed();
  for (const event of events) feed.push({ seq: feed.lastSeq + 1, event });
  return feed;
}

beforeEach(() => {
  vi.useFakeTimers({ now: start });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a connection that shows a run", () => {
  it("hands over after 60 seconds: when to come back, where to go on, and no frame of the run's", async () => {
    const feed = feedOf(piece("one"));
    const { parts, finished } = reading(feed);
    await vi.advanceTimersByTimeAsync(25_000);
    feed.push({ seq: 2, event: piece("two") });
    await vi.advanceTimersByTimeAsync(40_000);
    await finished;
    expect(parts.filter(({ text }) => text.startsWith(":")).map(({ at }) => at)).toEqual([10, 20, 35, 45, 55]);
    expect(parts.at(-1)?.at).toBe(60);
    const place = { message_id: messageId, last_event_id: "m:2" };
    expect(eventsIn(parts).slice(2)).toEqual([
      { id: undefined, event: "reconnect", data: { ...place, retry_ms: 500 } },
      { id: undefined, event: "stream_expired", data: place },
    ]);
    expect(parts.at(-1)?.text).not.toMatch(/^id:/m);
  });

  it("hands over with no place where nothing came", async () => {
    const { parts, finished } = reading(new FrameFeed());
    await vi.advanceTimersByTimeAsync(60_000);
    await finished;
    expect(eventsIn(parts).at(-1)?.data).toEqual({ message_id: messageId, last_event_id: null });
  });

  it("ends with the token, to the second, and says when that was", async () => {
    const { parts, finished } = reading(feedOf(piece("one")), { expiresAt: start / 1_000 + 7 });
    await vi.advanceTimersByTimeAsync(7_000);
    await finished;
    expect(parts.at(-1)?.at).toBe(7);
    expect(eventsIn(parts).map(({ event }) => event)).toEqual(["assistant_message", "token_expired"]);
    expect(eventsIn(parts).at(-1)?.data).toEqual({ expired_at: "2026-01-01T00:00:07.000Z", message_id: messageId });
  });

  it("ends with the run, and at once where that ended before", async () => {
    const feed = feedOf(piece("one"), piece("two"), done);
    const { parts, finished } = reading(feed, { afterSeq: 1 });
    await finished;
    expect(eventsIn(parts).map(({ id }) => id)).toEqual(["m:2", "m:3"]);
    const late = reading(feed, { afterSeq: 3 });
    await late.finished;
    expect(late.parts).toEqual([{ at: 0, text: ": the run has ended\n\n" }]);
  });
});
