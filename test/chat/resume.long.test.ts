import { createParser } from "eventsource-parser";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Client, newIdentity, type ReceivedFrame, readFrames, streamedText } from "#test/support/client.ts";
import { streamText, type Upstream } from "#test/support/models/upstream.ts";
import { sized } from "#test/support/run-size.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

/** Number of runs that are resumed after every frame, their concurrency, and the number of concurrent streams. */
const runs = sized({ usual: 8, full: 24, soak: 500 });
const concurrency = 4;
const streams = sized({ usual: 60, full: 100, soak: 200 });

let upstream: Upstream;
let service: ScriptedService;
let client: Client;

beforeAll(async () => {
  service = await startScriptedService();
  ({ upstream } = service);
  client = new Client(newIdentity(), service.baseUrl);
});

afterAll(() => service?.stop());

const startRun = (conversation_id: string) =>
  client.fetch("/v1/runtime/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ conversation_id, content: "Go", tier: "QUICK" }),
  });

const resume = (messageId: string, lastEventId = "") =>
  client.fetch(`/v1/runtime/chat/${messageId}/stream`, { headers: { "last-event-id": lastEventId } });

const readResumed = async (messageId: string, lastEventId?: string) =>
  Array.fromAsync(readFrames(await resume(messageId, lastEventId)));

const idsOf = (frames: readonly ReceivedFrame[]) => frames.map(({ id }) => id);

it(`stream of a chat answer continues after every event of ${runs} active and finished runs with exactly the remaining events`, async () => {
  const chunks = Array.from({ length: 10 }, (_, n) => `chunk ${n} `);
  upstream.script = streamText(chunks, { pauseMs: 60 });
  let resumptions = 0;
  const testRun = async () => {
    const frames: ReceivedFrame[] = [];
    const live: Promise<ReceivedFrame[]>[] = [];
    for await (const frame of readFrames(await startRun(await client.createConversation()))) {
      frames.push(frame);
      live.push(readResumed(String(frames[0]?.data.message_id), frame.id));
    }
    const messageId = frames[0]?.data.message_id;
    expect(idsOf(frames)).toEqual(frames.map((_, index) => `${messageId}:${index + 1}`));
    for (const [index, resumedFrames] of (await Promise.all(live)).entries()) {
      expect(resumedFrames).toEqual(frames.slice(index + 1));
      resumptions++;
    }
    for (const [index, { id }] of frames.slice(0, -1).entries()) {
      expect(await readResumed(messageId, id)).toEqual(frames.slice(index + 1));
      resumptions++;
    }
  };
  for (let done = 0; done < runs; done += concurrency) await Promise.all(Array.from({ length: concurrency }, testRun));
  console.log(`${runs} runs resumed ${resumptions} times`);
});

it("stream of a chat answer cannot be continued from an event id after its last event", async () => {
  upstream.script = streamText(["Hello"]);
  const frames = await Array.fromAsync(readFrames(await startRun(await client.createConversation())));
  const messageId = frames[0]?.data.message_id;
  const afterEnd = await resume(messageId, `${messageId}:${frames.length}`);
  // An `EventSource` reconnects after every other response (HTML, section 9.2.3).
  expect([afterEnd.status, await afterEnd.text()]).toEqual([204, ""]);
  for (const seq of [frames.length + 1, 99_999_999]) {
    const response = await resume(messageId, `${messageId}:${seq}`);
    const { code, detail } = (await response.json()) as { code: string; detail: string };
    expect([response.status, code]).toEqual([400, "invalid_cursor"]);
    expect(detail).toContain("Last-Event-ID");
  }
});

it("stream of a chat answer can be continued after a disconnection at any byte", async () => {
  upstream.script = streamText(["Größe: ", "🚀 ", "```js\n", "const a = 1;\n", "```\n", "data: x\n\n", "end"]);
  const response = await startRun(await client.createConversation());
  const bytes = new Uint8Array(await response.arrayBuffer());
  const parse = (part: Uint8Array) => {
    const frames: ReceivedFrame[] = [];
    const parser = createParser({
      onEvent: ({ id, event = "message", data }) => frames.push({ id, event, data: JSON.parse(data) }),
    });
    // Like a client, ignores an incomplete character or event at the end.
    parser.feed(new TextDecoder().decode(part, { stream: true }));
    return frames;
  };
  const frames = parse(bytes);
  const messageId = frames[0]?.data.message_id;
  const rests = new Map<string, ReceivedFrame[]>();
  for (let cut = 0; cut <= bytes.length; cut++) {
    const received = parse(bytes.subarray(0, cut));
    const last = received.at(-1)?.id ?? "";
    if (!rests.has(last)) rests.set(last, await readResumed(messageId, last));
    const all = [...received, ...(rests.get(last) ?? [])];
    if (all.length !== frames.length) expect(idsOf(all), `cut at byte ${cut}`).toEqual(idsOf(frames));
  }
  expect(rests.size).toBe(frames.length + 1);
  for (const [last, rest] of rests) {
    expect(rest).toEqual(frames.slice(frames.findIndex(({ id }) => id === last) + 1));
  }
});

it(`stream of a chat answer has no gaps and no events of other runs when ${streams} streams run concurrently`, async () => {
  const chunks = Array.from({ length: 50 }, (_, n) => `${n} `);
  upstream.script = async (response, request) => {
    const [content] = request.body.messages.at(-1).content.match(/Stream \d+$/);
    await streamText([`${content}: `, ...chunks], { pauseMs: 20 })(response, request);
  };
  const testStream = async (n: number) => {
    const frames = await client.chat({
      conversation_id: await client.createConversation(),
      content: `Stream ${n}`,
      tier: "QUICK",
    });
    const messageId = frames[0]?.data.message_id;
    expect(idsOf(frames)).toEqual(frames.map((_, index) => `${messageId}:${index + 1}`));
    expect(streamedText(frames)).toBe(`Stream ${n}: ${chunks.join("")}`);
    expect(frames.at(-1)?.event).toBe("done");
  };
  await Promise.all(Array.from({ length: streams }, (_, n) => testStream(n)));
});
