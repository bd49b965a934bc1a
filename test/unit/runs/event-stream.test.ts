import { createParser } from "eventsource-parser";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { RunEvent } from "#shared/runs/events.ts";
import { FrameFeed } from "#shared/runs/frame-feed.ts";
import { eventStream } from "#shared/runs/streams/event-stream.ts";

const start = Date.parse("2026-01-01T00:00:00Z");
const messageId = "m";

const textEvent = (content: string): RunEvent => ({
  type: "assistant_message",
  data: { message_id: messageId, content, final: false },
});
const done: RunEvent = { type: "done", data: { message_id: messageId, block_count: 1 } };

/** Starts reading a stream to its end; `atSeconds` is the arrival time of each part. */
function startReading(
  feed: FrameFeed,
  options: { afterSeq?: number; expiresAt?: number; isAllowed?: () => Promise<boolean> } = {},
) {
  const parts: { atSeconds: number; text: string }[] = [];
  const ids = { messageId, threadId: "c", mediaType: "text/event-stream" } as const;
  const stream = eventStream({ ...ids, source: feed, expiresAt: null, ...options });
  const finished = (async () => {
    for await (const text of stream) parts.push({ atSeconds: (Date.now() - start) / 1_000, text });
  })();
  return { parts, finished };
}

function parseEvents(parts: readonly { text: string }[]) {
  const events: { id: string | undefined; event: string | undefined; data: unknown }[] = [];
  const parser = createParser({ onEvent: ({ id, event, data }) => events.push({ id, event, data: JSON.parse(data) }) });
  for (const { text } of parts) parser.feed(text);
  return events;
}

function createFeed(...events: RunEvent[]): FrameFeed {
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

it.each([
  ["silent", 0],
  ["busy", 1_000],
])(
  "eventStream(), which serves a run as Server-Sent Events, ends a %s stream within ten seconds after the caller lost access",
  async (_, intervalMs) => {
    const feed = createFeed(textEvent("one"));
    let isActive = true;
    const { parts, finished } = startReading(feed, { isAllowed: async () => isActive });
    let seq = 1;
    const timer = intervalMs
      ? setInterval(() => feed.push({ seq: ++seq, event: textEvent("more") }), intervalMs)
      : null;
    await vi.advanceTimersByTimeAsync(15_000);
    isActive = false;
    await vi.advanceTimersByTimeAsync(10_000);
    if (timer) clearInterval(timer);
    await finished;
    expect(parseEvents(parts).at(-1)).toMatchObject({ event: "token_expired" });
    expect(parts.at(-1)?.atSeconds).toBeLessThanOrEqual(25);
  },
);

it("eventStream(), which serves a run as Server-Sent Events, ends after 60 seconds with the retry delay and the last event id", async () => {
  const feed = createFeed(textEvent("one"));
  const { parts, finished } = startReading(feed);
  await vi.advanceTimersByTimeAsync(25_000);
  feed.push({ seq: 2, event: textEvent("two") });
  await vi.advanceTimersByTimeAsync(40_000);
  await finished;
  expect(parts.filter(({ text }) => text.startsWith(":")).map(({ atSeconds }) => atSeconds)).toEqual([
    10, 20, 35, 45, 55,
  ]);
  expect(parts.at(-1)?.atSeconds).toBe(60);
  const position = { message_id: messageId, last_event_id: "m:2" };
  expect(parseEvents(parts).slice(2)).toEqual([
    { id: undefined, event: "reconnect", data: { ...position, retry_ms: 500 } },
    { id: undefined, event: "stream_expired", data: position },
  ]);
  expect(parts.at(-1)?.text).not.toMatch(/^id:/m);
});

it("eventStream(), which serves a run as Server-Sent Events, ends after 60 seconds with a null event id when the run sent no frame", async () => {
  const { parts, finished } = startReading(new FrameFeed());
  await vi.advanceTimersByTimeAsync(60_000);
  await finished;
  expect(parseEvents(parts).at(-1)?.data).toEqual({ message_id: messageId, last_event_id: null });
});

it("eventStream(), which serves a run as Server-Sent Events, ends when the token expires and reports the expiry time", async () => {
  const { parts, finished } = startReading(createFeed(textEvent("one")), { expiresAt: start / 1_000 + 7 });
  await vi.advanceTimersByTimeAsync(7_000);
  await finished;
  expect(parts.at(-1)?.atSeconds).toBe(7);
  expect(parseEvents(parts).map(({ event }) => event)).toEqual(["assistant_message", "token_expired"]);
  expect(parseEvents(parts).at(-1)?.data).toEqual({ expired_at: "2026-01-01T00:00:07.000Z", message_id: messageId });
});

it("eventStream(), which serves a run as Server-Sent Events, ends when the run ends, or immediately if it has already ended", async () => {
  const feed = createFeed(textEvent("one"), textEvent("two"), done);
  const { parts, finished } = startReading(feed, { afterSeq: 1 });
  await finished;
  expect(parseEvents(parts).map(({ id }) => id)).toEqual(["m:2", "m:3"]);
  const lateReader = startReading(feed, { afterSeq: 3 });
  await lateReader.finished;
  expect(lateReader.parts).toEqual([{ atSeconds: 0, text: ": the stream has ended\n\n" }]);
});
