import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { chunk, startEventStream } from "#test/support/models/upstream.ts";
import { readCutStream } from "#test/support/openai/cut-stream.ts";
import { type OpenaiApi, startOpenaiApi } from "#test/support/openai/openai-api.ts";
import { findItemsContaining } from "#test/support/tables/table-contents.ts";

let api: OpenaiApi;
/** Number of connections that the service closed before the end of the stream. */
let earlyCloses = 0;
let isOpen = false;

/** Streams up to `count` words, ten a second, or until the service closes the connection. */
async function streamWords(response: ServerResponse, count: number): Promise<void> {
  isOpen = true;
  const onClose = () => {
    isOpen = false;
    if (!response.writableEnded) earlyCloses++;
  };
  response.once("close", onClose);
  startEventStream(response);
  for (let words = 0; words < count && isOpen; words++) {
    response.write(chunk({ content: "word " }));
    await sleep(100);
  }
  if (isOpen) response.end(`${chunk({}, { finish_reason: "stop" })}data: [DONE]\n\n`);
  isOpen = false;
}

beforeAll(async () => {
  api = await startOpenaiApi();
});

beforeEach(() => {
  // More than a machine under load takes to notice that a client has disconnected.
  api.upstream.script = (response) => streamWords(response, 600);
});

afterAll(() => api?.stop());

const post = (key: string, path: string, body?: object, init: RequestInit = {}) =>
  fetch(api.baseUrl + path, {
    method: "POST",
    ...init,
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...init.headers },
    ...(body && { body: JSON.stringify(body) }),
  });

const streamedRequest = () => ({ model: api.slug, stream: true, messages: [{ role: "user", content: "Count" }] });

/** Reads a stream until it contains a text. A service that starts slowly sends comments before the answer. */
async function readUntil({ body }: Response, text: string): Promise<void> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = ""; !read.includes(text); ) read += (await reader?.read())?.value ?? expect.fail(read);
}

/** Waits until the provider's connection is closed early. */
async function waitForClose(): Promise<void> {
  await expect.poll(() => earlyCloses, { interval: 20 }).toBeGreaterThan(0);
  earlyCloses = 0;
}

const countRecords = (keyId: string) =>
  findItemsContaining(api.service, "#completion#").filter((item) => item.includes(keyId)).length;

it("disconnection of a client of the OpenAI-compatible API closes the provider's stream and counts the tokens of the partial answer", async () => {
  const { key, id } = await api.createKey(["chat.completions"]);
  const controller = new AbortController();
  const response = await post(key, "/chat/completions", streamedRequest(), { signal: controller.signal });
  expect(response.status).toBe(200);
  await readUntil(response, "word");
  controller.abort();
  await waitForClose();
  await expect.poll(() => countRecords(id)).toBe(1);
});

it("disconnection of a client of the OpenAI-compatible API closes the provider's connection when the answer is not streamed", async () => {
  const closed = Promise.withResolvers<void>();
  // The provider never answers, so that only the service ends the connection.
  api.upstream.script = (response) => {
    response.once("close", closed.resolve);
    return closed.promise;
  };
  const controller = new AbortController();
  const before = api.upstream.requests.length;
  const pending = post(
    api.key,
    "/chat/completions",
    { ...streamedRequest(), stream: false },
    { signal: controller.signal },
  );
  await expect.poll(() => api.upstream.requests.length).toBe(before + 1);
  controller.abort();
  await expect(pending).rejects.toThrow();
  await closed.promise;
});

it("disconnection of a client of the OpenAI-compatible API does not stop the answer to a request with an Idempotency-Key", async () => {
  api.upstream.script = (response) => streamWords(response, 60);
  const controller = new AbortController();
  const response = await post(api.key, "/chat/completions", streamedRequest(), {
    signal: controller.signal,
    headers: { "idempotency-key": randomUUID() },
  });
  await readUntil(response, "word");
  controller.abort();
  await expect.poll(() => isOpen).toBe(false);
  expect(earlyCloses).toBe(0);
});

it("POST /chat/completions/{id}/cancel stops a chat completion of the same API key, and may be repeated", async () => {
  const stream = await post(api.key, "/chat/completions", streamedRequest());
  const id = String(stream.headers.get("x-completion-id"));
  const text = readCutStream(stream);
  for (const _ of [1, 2]) {
    const reply = await post(api.key, `/chat/completions/${id}/cancel`);
    expect([reply.status, await reply.json()]).toEqual([
      200,
      { id, object: "chat.completion.cancellation", status: "requested" },
    ]);
  }
  await waitForClose();
  expect(await text).toContain(`"id":"${id}"`);
  expect((await text).trim().split("\n").at(-1)).toMatch(/^data: \{"error":.*"completion_canceled"/);
});

it.each([
  ["/completions", { prompt: "Count" }],
  ["/responses", { input: "Count" }],
])("POST /chat/completions/{id}/cancel stops a stream of the endpoint %s", async (path, fields) => {
  const stream = await post(api.key, path, { model: api.slug, stream: true, ...fields });
  const text = readCutStream(stream);
  await post(api.key, `/chat/completions/${stream.headers.get("x-completion-id")}/cancel`);
  await waitForClose();
  expect(await text).toContain("completion_canceled");
});

it("POST /chat/completions/{id}/cancel returns 404 for another API key or an unknown id, and does not stop the stream", async () => {
  const other = await api.createKey(["chat.completions"]);
  const controller = new AbortController();
  const stream = await post(api.key, "/chat/completions", streamedRequest(), { signal: controller.signal });
  const id = stream.headers.get("x-completion-id");
  for (const [key, path] of [
    [other.key, `/chat/completions/${id}/cancel`],
    [api.key, "/chat/completions/chatcmpl-unknown/cancel"],
    [api.key, `/chat/completions/${id}x/cancel`],
  ] as const) {
    const reply = await post(key, path);
    expect([reply.status, await reply.json()]).toMatchObject([404, { error: { code: null } }]);
  }
  await sleep(1_500);
  expect(isOpen).toBe(true);
  controller.abort();
  await waitForClose();
});
