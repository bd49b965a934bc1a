import { createParser } from "eventsource-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity, type ReceivedFrame, readFrames, streamedText } from "#test/support/client.ts";
import { streamText, type Upstream } from "#test/support/models/upstream.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

const full = process.env.SWITCHBOARD_FULL !== undefined;
/** Runs that are resumed after every frame, how many of them at once, and streams that are read at once. */
const runs = full ? 500 : 8;
const atOnce = 4;
const streams = full ? 200 : 60;

let upstream: Upstream;
let service: ScriptedService;
let client: Client;

beforeAll(async () => {
  service = await startScriptedService();
  ({ upstream } = service);
  client = new Client(newIdentity(), service.baseUrl);
});

afterAll(() => service?.stop());

const say = (conversation_id: string) =>
  client.fetch("/v1/runtime/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ conversation_id, content: "Go", tier: "QUICK" }),
  });

const resume = (messageId: string, lastEventId = "") =>
  client.fetch(`/v1/runtime/chat/${messageId}/stream`, { headers: { "last-event-id": lastEventId } });

const resumed = async (messageId: string, lastEventId?: string) =>
  Array.fromAsync(readFrames(await resume(messageId, lastEventId)));

const idsOf = (frames: readonly ReceivedFrame[]) => frames.map(({ id }) => id);

describe("a reply", () => {
  it(`is resumed after every frame of ${runs} runs, while they are live and after: the exact suffix`, {
    timeout: 1_800_000,
  }, async () => {
    const pieces = Array.from({ length: 10 }, (_, n) => `piece ${n} `);
    upstream.script = streamText(pieces, { pauseMs: 60 });
    let places = 0;
    const one = async () => {
      const whole: ReceivedFrame[] = [];
      const live: Promise<ReceivedFrame[]>[] = [];
      for await (const frame of readFrames(await say(await client.createConversation()))) {
        whole.push(frame);
        live.push(resumed(String(whole[0]?.data.message_id), frame.id));
      }
      const messageId = whole[0]?.data.message_id;
      expect(idsOf(whole)).toEqual(whole.map((_, index) => `${messageId}:${index + 1}`));
      for (const [index, frames] of (await Promise.all(live)).entries()) {
        expect(frames).toEqual(whole.slice(index + 1));
        places++;
      }
      for (const [index, { id }] of whole.entries()) {
        expect(await resumed(messageId, id)).toEqual(whole.slice(index + 1));
        places++;
      }
    };
    for (let done = 0; done < runs; done += atOnce) await Promise.all(Array.from({ length: atOnce }, one));
    console.log(`${runs} runs resumed at ${places} places`);
  });

  it("is the same wherever its stream is cut, byte by byte", { timeout: 300_000 }, async () => {
    upstream.script = streamText(["Größe: ", "🚀 ", "```js\n", "const a = 1;\n", "```\n", "data: x\n\n", "end"]);
    const response = await say(await client.createConversation());
    const bytes = new Uint8Array(await response.arrayBuffer());
    const parse = (part: Uint8Array) => {
      const frames: ReceivedFrame[] = [];
      const parser = createParser({
        onEvent: ({ id, event = "message", data }) => frames.push({ id, event, data: JSON.parse(data) }),
      });
      // As it arrives: what a cut leaves of a character or an event is not parsed.
      parser.feed(new TextDecoder().decode(part, { stream: true }));
      return frames;
    };
    const whole = parse(bytes);
    const messageId = whole[0]?.data.message_id;
    const rests = new Map<string, ReceivedFrame[]>();
    for (let cut = 0; cut <= bytes.length; cut++) {
      const seen = parse(bytes.subarray(0, cut));
      const last = seen.at(-1)?.id ?? "";
      if (!rests.has(last)) rests.set(last, await resumed(messageId, last));
      const all = [...seen, ...(rests.get(last) ?? [])];
      if (all.length !== whole.length) expect(idsOf(all), `cut at byte ${cut}`).toEqual(idsOf(whole));
    }
    expect(rests.size).toBe(whole.length + 1);
    for (const [last, rest] of rests) {
      expect(rest).toEqual(whole.slice(whole.findIndex(({ id }) => id === last) + 1));
    }
  });

  it(`is one of ${streams} at once, each gapless and its own`, { timeout: 300_000 }, async () => {
    const pieces = Array.from({ length: 50 }, (_, n) => `${n} `);
    upstream.script = async (response, request) => {
      const { content } = request.body.messages.at(-1);
      await streamText([`${content}: `, ...pieces], { pauseMs: 20 })(response, request);
    };
    const one = async (n: number) => {
      const frames = await client.chat({
        conversation_id: await client.createConversation(),
        content: `Stream ${n}`,
        tier: "QUICK",
      });
      const messageId = frames[0]?.data.message_id;
      expect(idsOf(frames)).toEqual(frames.map((_, index) => `${messageId}:${index + 1}`));
      expect(streamedText(frames)).toBe(`Stream ${n}: ${pieces.join("")}`);
      expect(frames.at(-1)?.event).toBe("done");
    };
    await Promise.all(Array.from({ length: streams }, (_, n) => one(n)));
  });
});
