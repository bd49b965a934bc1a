import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { Client, newIdentity, type ReceivedFrame, readFrames, streamedText } from "#test/support/client.ts";
import { chunk, startEventStream, streamText, type Upstream } from "#test/support/models/upstream.ts";
import { sized } from "#test/support/run-size.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { findItemsContaining } from "#test/support/tables/table-contents.ts";

let upstream: Upstream;
let service: ScriptedService;
let client: Client;

beforeAll(async () => {
  service = await startScriptedService();
  ({ upstream } = service);
  client = new Client(newIdentity(), service.baseUrl);
});

afterAll(() => service?.stop());

const words = Array.from({ length: 40 }, (_, index) => `word${index} `);

const start = (body: Record<string, unknown>, init: RequestInit & { headers?: Record<string, string> } = {}) =>
  client.fetch("/v1/runtime/chat", {
    method: "POST",
    ...init,
    headers: { "content-type": "application/json", ...init.headers },
    body: JSON.stringify(body),
  });

const resume = (messageId: string, lastEventId?: string, caller = client) =>
  caller.fetch(`/v1/runtime/chat/${messageId}/stream`, {
    headers: lastEventId ? { "last-event-id": lastEventId } : {},
  });

async function listMessages(id: string) {
  return (await client.get(`/v1/conversations/${id}/messages`)).body.messages;
}

/** Reads a stream up to its n-th frame and disconnects. */
async function readAndDisconnect(frames: number, body: Record<string, unknown>): Promise<ReceivedFrame[]> {
  const abort = new AbortController();
  const response = await start(body, { signal: abort.signal });
  const received: ReceivedFrame[] = [];
  for await (const frame of readFrames(response)) {
    received.push(frame);
    if (received.length === frames) break;
  }
  abort.abort();
  return received;
}

it("resumption of a chat run's stream sends exactly the missed events of a complete answer", async () => {
  upstream.script = streamText(words, { pauseMs: 15 });
  const cuts = sized({ usual: 6, full: 30, soak: 100 });
  for (let n = 0; n < cuts; n++) {
    const id = await client.createConversation();
    const cut = 1 + Math.floor((n * 40) / cuts);
    const received = await readAndDisconnect(cut, { conversation_id: id, content: "Go" });
    const messageId = received[0]?.data.message_id;
    const rest = await Array.fromAsync(readFrames(await resume(messageId, received.at(-1)?.id)));
    const all = [...received, ...rest];
    expect(all.map((frame) => frame.id)).toEqual(all.map((_, index) => `${messageId}:${index + 1}`));
    expect(streamedText(all)).toBe(words.join(""));
    expect(all.at(-1)?.event).toBe("done");
    expect((await listMessages(id)).at(-1)).toMatchObject({
      status: "complete",
      content: [{ text: words.join("") }],
    });
  }
});

it("resumption of a chat run's stream continues a finished run after any of its events", async () => {
  upstream.script = streamText(words.slice(0, 12));
  const id = await client.createConversation();
  const frames = await client.chat({ conversation_id: id, content: "Go" });
  const messageId = frames[0]?.data.message_id;
  for (let index = 0; index < frames.length; index++) {
    const lastEventId = index === 0 ? undefined : frames[index - 1]?.id;
    expect(await Array.fromAsync(readFrames(await resume(messageId, lastEventId)))).toEqual(frames.slice(index));
  }
  const byCursor = await client.fetch(`/v1/runtime/chat/${messageId}/stream?cursor=${frames[4]?.id}`);
  expect(await Array.fromAsync(readFrames(byCursor))).toEqual(frames.slice(5));
});

it("resumption of a chat run's stream returns 400 for an invalid Last-Event-ID and 404 for a run of another user", async () => {
  upstream.script = streamText(["Hello"]);
  const frames = await client.chat({ conversation_id: await client.createConversation(), content: "Go" });
  const messageId = frames[0]?.data.message_id;
  for (const lastEventId of ["x", `${randomUUID()}:3`, `${messageId}:x`, `${messageId}:-1`]) {
    expect((await resume(messageId, lastEventId)).status).toBe(400);
  }
  const stranger = new Client(newIdentity(), service.baseUrl);
  expect((await resume(messageId, undefined, stranger)).status).toBe(404);
  expect((await stranger.post(`/v1/runtime/chat/${messageId}/stop`, undefined)).status).toBe(404);
  expect((await resume(randomUUID())).status).toBe(404);
});

it("resumption of a chat run's stream follows an active run on a second connection", async () => {
  // Words without digits, because the redactor withholds digits that could become a sensitive number.
  const words = ["alpha ", "beta ", "gamma "];
  const gates = words.map(() => Promise.withResolvers<void>());
  upstream.script = async (response) => {
    startEventStream(response);
    for (const [index, { promise }] of gates.entries()) {
      response.write(chunk({ content: words[index] }));
      await promise;
    }
    response.write(chunk({}, { finish_reason: "stop" }));
    response.end("data: [DONE]\n\n");
  };
  const id = await client.createConversation();
  const received = await readAndDisconnect(3, { conversation_id: id, content: "Go" });
  const messageId = received[0]?.data.message_id;
  expect((await listMessages(id)).at(-1)).toMatchObject({
    message_id: messageId,
    role: "assistant",
    status: "streaming",
  });
  const receivedChunks: string[] = [];
  // The provider continues only after the previous chunk was received, so buffering would deadlock the test.
  for await (const { event, data } of readFrames(await resume(messageId))) {
    if (event !== "assistant_message" || data.final) continue;
    gates[receivedChunks.length]?.resolve();
    receivedChunks.push(data.content);
  }
  expect(receivedChunks).toEqual(words);
  expect((await listMessages(id)).at(-1).status).toBe("complete");
});

it("stopped chat run ends as interrupted, keeps its text and closes the provider's connection", async () => {
  let chunksSent = 0;
  let isClosed = false;
  upstream.script = async (response) => {
    response.on("close", () => {
      isClosed = true;
    });
    await streamText(
      Array.from({ length: 400 }, (_, index) => `${index} `),
      { pauseMs: 20 },
    )(response, {
      path: "",
      authorization: undefined,
      body: undefined,
    });
    chunksSent = 400;
  };
  const id = await client.createConversation();
  const frames: ReceivedFrame[] = [];
  for await (const frame of readFrames(await start({ conversation_id: id, content: "Count" }))) {
    frames.push(frame);
    if (frames.length === 20) {
      const stop = await client.post(`/v1/runtime/chat/${frame.data.message_id}/stop`, undefined);
      expect([stop.status, stop.body.status]).toEqual([202, "stopping"]);
    }
  }
  const text = streamedText(frames);
  expect(frames.at(-1)).toMatchObject({
    event: "interrupted",
    data: { reason: "stopped", saved_characters: text.length },
  });
  expect((await listMessages(id)).at(-1)).toMatchObject({
    status: "interrupted",
    content: [{ type: "text", text }],
  });
  await vi.waitFor(() => expect(isClosed).toBe(true), { timeout: 180_000 });
  expect(chunksSent).toBe(0);
  const secondResponse = await client.post(`/v1/runtime/chat/${frames[0]?.data.message_id}/stop`, undefined);
  expect([secondResponse.status, secondResponse.body.status]).toEqual([202, "interrupted"]);
});

it("deletion of a conversation during a chat run stops the run and purges its items", async () => {
  // Streams for seven seconds only, so that the run does not outlast this test.
  upstream.script = streamText(Array(40).fill(words).flat(), { pauseMs: 60 });
  const id = await client.createConversation();
  const received = await readAndDisconnect(5, { conversation_id: id, content: "Go" });
  const messageId = String(received[0]?.data.message_id);
  await sleep(600);
  expect(findItemsContaining(service, messageId).length).toBeGreaterThan(1);
  await client.delete(`/v1/conversations/${id}`);
  await sleep(3_500);
  await vi.waitFor(() => expect(findItemsContaining(service, messageId)).toEqual([]), {
    timeout: 180_000,
    interval: 300,
  });
  expect((await resume(messageId)).status).toBe(404);
});

it("start of a chat run with an Idempotency-Key creates one run for 50 equal requests and streams the same answer to all of them", async () => {
  upstream.script = streamText(words, { pauseMs: 10 });
  const before = upstream.requests.length;
  const id = await client.createConversation();
  const body = { conversation_id: id, content: "Once" };
  const headers = { "idempotency-key": randomUUID() };
  const streams = await Promise.all(
    Array.from(
      { length: 50 },
      async (): Promise<ReceivedFrame[]> => Array.fromAsync(readFrames(await start(body, { headers }))),
    ),
  );
  expect(new Set(streams.map((frames) => JSON.stringify(frames))).size).toBe(1);
  expect(upstream.requests.length - before).toBe(1);
  expect((await listMessages(id)).length).toBe(2);
  const asJson = await start(body, { headers: { ...headers, accept: "application/json" } });
  expect([asJson.status, asJson.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  expect(((await asJson.json()) as { message_id: string }).message_id).toBe(streams[0]?.[0]?.data.message_id);
  const otherResponse = await start({ ...body, content: "Twice" }, { headers });
  expect([otherResponse.status, ((await otherResponse.json()) as { code: string }).code]).toEqual([
    422,
    "idempotency_key_reused",
  ]);
});

it("regeneration of an answer answers the stored question again without another user message", async () => {
  upstream.script = streamText(["First"]);
  const id = await client.createConversation();
  const [first] = await client.chat({ conversation_id: id, content: "Question" });
  upstream.script = streamText(["Second"]);
  const frames = await client.chat({ conversation_id: id, regenerate_message_id: first?.data.message_id });
  expect(frames[0]?.data.user_message_id).toBe(first?.data.user_message_id);
  expect(upstream.requests.at(-1)?.body.messages.map(({ role }: { role: string }) => role)).toEqual(["system", "user"]);
  const stored = await listMessages(id);
  expect(
    stored.map(({ role, content }: { role: string; content: { text: string }[] }) => [role, content[0]?.text]),
  ).toEqual([
    ["user", "Question"],
    ["assistant", "First"],
    ["assistant", "Second"],
  ]);
  expect((await client.get(`/v1/conversations/${id}`)).body.message_count).toBe(3);
  for (const body of [
    { conversation_id: id, regenerate_message_id: randomUUID() },
    { conversation_id: id, content: "x", parent_message_id: randomUUID() },
  ]) {
    expect((await start(body)).status).toBe(404);
  }
  expect(
    (await start({ conversation_id: id, content: "x", regenerate_message_id: first?.data.message_id })).status,
  ).toBe(400);
});
