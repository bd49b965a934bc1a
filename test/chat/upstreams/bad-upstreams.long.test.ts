import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { streamedText } from "#test/support/client.ts";
import { chunk, errorResponse, type Script, startEventStream, streamText } from "#test/support/models/upstream.ts";
import { readCutStream } from "#test/support/openai/cut-stream.ts";
import { type OpenaiApi, startOpenaiApi } from "#test/support/openai/openai-api.ts";

let api: OpenaiApi;

beforeAll(async () => {
  api = await startOpenaiApi();
});

afterAll(() => api?.stop());

const ANSWER = "Grüße 価格は10~20元。";
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const usageLine = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage })}\n\n`;
const parts = [chunk({ role: "assistant", content: "" }), ...[...ANSWER].map((content) => chunk({ content }))];
const stop = chunk({}, { finish_reason: "stop" });
const whole = [...parts, stop, usageLine, "data: [DONE]\n\n"].join("");
const completion = JSON.stringify({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: ANSWER }, finish_reason: "stop" }],
  usage,
});

/** Sends a body with a status and headers. */
const send =
  (body: string | Buffer, headers: Record<string, string | string[]> = {}, status = 200): Script =>
  async (response) =>
    void response.writeHead(status, { "content-type": "text/event-stream", ...headers }).end(body);

/** Sends bytes to the connection, which it closes then. */
const sendRaw =
  (text: string): Script =>
  async (response) =>
    void response.socket?.end(text);

/** Sends the answer in pieces. */
const inPieces =
  (pieces: readonly (string | Buffer)[], pauseMs = 0): Script =>
  async (response) => {
    startEventStream(response);
    for (const piece of pieces) {
      response.write(piece);
      await (pauseMs > 0 ? sleep(pauseMs) : new Promise(setImmediate));
    }
    response.end();
  };

/** Fails the first call and answers the second. */
function thenAnswer(first: Script): () => Script {
  return () => {
    let calls = 0;
    return (response, request) => (calls++ === 0 ? first(response, request) : send(whole)(response, request));
  };
}

const bytes = Buffer.from(whole);
const pieces = (size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
const soon = () => new Date(Date.now() + 1_000).toUTCString();
const filler = (length: number) => "x".repeat(length);

/** Ways of providers that an answer survives. */
const harmless: readonly (readonly [kind: string, script: () => Script])[] = [
  ["a pause before each token", () => inPieces([...parts, stop, usageLine], 60)],
  [
    "a pause before the first token",
    () => async (response, request) => {
      await sleep(1_000);
      await send(whole)(response, request);
    },
  ],
  ["comments between events", () => inPieces([": ping\n\n", ...parts.flatMap((part) => [": ping\n\n", part]), stop])],
  ["bytes one by one", () => inPieces(pieces(1))],
  ["pieces that cut letters and frames", () => inPieces(pieces(7))],
  ["CR LF line ends", () => send(whole.replaceAll("\n", "\r\n"))],
  ["CR line ends", () => send(whole.replaceAll("\n", "\r"))],
  ["a byte order mark", () => send(`\ufeff${whole}`)],
  ["no space after `data:`", () => send(whole.replaceAll("data: ", "data:"))],
  ["names and ids of events", () => send(whole.replaceAll("data: ", "id: 5\nevent: chunk\nretry: 10\ndata: "))],
  ["no `[DONE]`", () => send([...parts, stop, usageLine].join(""))],
  ["no blank line at the end", () => send([...parts, stop].join("").trimEnd())],
  [
    "the finish reason under another name",
    () => send([...parts, stop.replace("finish_reason", "finishReason"), "data: [DONE]\n\n"].join("")),
  ],
  ["text after `[DONE]`", () => send(`${whole}data: {"choices":[{"delta":{"content":"more"}}]}\n\nnonsense`)],
  ["usage before the end", () => send([...parts, usageLine, stop, "data: [DONE]\n\n"].join(""))],
  ["the end twice", () => send([...parts, stop, stop, usageLine, "data: [DONE]\n\ndata: [DONE]\n\n"].join(""))],
  ["a comment of a megabyte", () => send(`: ${filler(1_048_576)}\n\n${whole}`)],
  ["a field of a megabyte", () => send(`data: {"choices":[],"padding":"${filler(1_048_576)}"}\n\n${whole}`)],
  ["another content type", () => send(whole, { "content-type": "text/plain" })],
  ["the content type of JSON", () => send(whole, { "content-type": "application/json" })],
  ["no content type", () => async (response) => void response.writeHead(200).end(whole)],
  ["a whole answer in JSON", () => send(completion, { "content-type": "application/json" })],
  ["gzip without being asked", () => send(gzipSync(whole), { "content-encoding": "gzip" })],
  ["brotli without being asked", () => send(brotliCompressSync(whole), { "content-encoding": "br" })],
  ["a hundred headers", () => send(whole, Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`x-h${n}`, "v"])))],
  ["cookies", () => send(whole, { "set-cookie": ["a=1; Path=/", "b=2"] })],
  ["the status 201", () => send(whole, {}, 201)],
  [
    "100 Continue before the answer",
    () => async (response, request) => {
      response.writeContinue();
      await send(whole)(response, request);
    },
  ],
  [
    "103 Early Hints before the answer",
    () => async (response, request) => {
      response.writeEarlyHints({ link: "</a.css>; rel=preload" });
      await send(whole)(response, request);
    },
  ],
  ["HTTP/1.0 without a length", () => sendRaw(`HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n${whole}`)],
  ["429 with seconds, once", thenAnswer(errorResponse(429, "Slow down", { "retry-after": "1" }))],
  [
    "429 with a date, once",
    thenAnswer((response, request) => errorResponse(429, "Slow down", { "retry-after": soon() })(response, request)),
  ],
  ["503 in HTML, once", thenAnswer(send("<html>Unavailable</html>", { "content-type": "text/html" }, 503))],
  ["a connection that breaks, once", thenAnswer(async (response) => void response.destroy())],
];

/** Ways of providers that end in an error, which says nothing of what the provider sent. */
const harmful: readonly (readonly [kind: string, script: () => Script])[] = [
  ["HTML with the status 200", () => send("<html><body>s3cret</body></html>", { "content-type": "text/html" })],
  ["HTML with the status 502", () => send("<html>s3cret</html>", { "content-type": "text/html" }, 502)],
  [
    "a JSON error with the status 200",
    () => send('{"error":{"message":"s3cret"}}', { "content-type": "application/json" }),
  ],
  ["a JSON error as the first event", () => send('data: {"error":{"message":"s3cret","code":500}}\n\n')],
  ["an image", () => send(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0]), { "content-type": "image/png" })],
  ["an empty body", () => send("")],
  ["the status 204", () => async (response) => void response.writeHead(204).end()],
  ["only `[DONE]`", () => send("data: [DONE]\n\n")],
  ["only comments", () => send(": ping\n\n: ping\n\n")],
  ["broken JSON", () => send("data: {s3cret\n\n")],
  ["broken gzip", () => send("s3cret", { "content-encoding": "gzip" })],
  ["a redirect to another host", () => send("", { location: "http://127.0.0.1:9/" }, 302)],
  ["a redirect that keeps the method", () => send("", { location: "/v1/elsewhere?s3cret" }, 307)],
  ["a redirect to itself", () => send("", { location: "/v1/chat/completions" }, 308)],
  ["headers of 100 KB", () => send("", { "x-long": filler(100_000) })],
  ["nonsense instead of HTTP", () => sendRaw("s3cret\r\n\r\n")],
  ["a wrong chunk length", () => sendRaw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\ns3cret")],
  ["a body that is shorter than its length", () => sendRaw("HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\ns3cret")],
  ["a line of 20 MB", () => send(`data: ${filler(20 * 1_048_576)}`)],
  ["401", () => errorResponse(401, "s3cret")],
  ["403", () => errorResponse(403, "s3cret")],
  ["429 for a day", () => errorResponse(429, "Slow down", { "retry-after": "86400" })],
  ["429 until next year", () => errorResponse(429, "Slow down", { "retry-after": "Fri, 31 Dec 2027 23:59:59 GMT" })],
  [
    "429 with a date in the past",
    () => errorResponse(429, "Slow down", { "retry-after": "Sat, 01 Jan 2000 00:00:00 GMT" }),
  ],
  ["429 with a word as time", () => errorResponse(429, "Slow down", { "retry-after": "later" })],
];

/** Endings within an answer, of which the text before stays. */
const interrupting: readonly (readonly [kind: string, end: (response: ServerResponse) => void])[] = [
  ["a connection that breaks", (response) => void response.destroy()],
  ["an end without a reason", (response) => void response.end()],
  ["a frame that is cut", (response) => void response.end('data: {"choices":[{"index":0,"delta":')],
  [
    "a letter that is cut",
    (response) => void response.end(Buffer.from('data: {"choices":[{"delta":{"content":"ü').subarray(0, -1)),
  ],
  ["an error as event", (response) => void response.end('data: {"error":{"message":"s3cret","code":500}}\n\n')],
  ["an error of another form", (response) => void response.end('event: error\ndata: {"message":"s3cret"}\n\n')],
];

/** Asks in a chat of the product and returns its frames. */
async function chat() {
  const conversation_id = await api.admin.createConversation();
  return api.admin.chat({ conversation_id, content: "Hello", tier: "QUICK" });
}

/** Asks over the OpenAI-compatible API and returns the streamed text and the raw response. */
async function complete() {
  const response = await fetch(`${api.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${api.key}` },
    body: JSON.stringify({ model: api.slug, messages: [{ role: "user", content: "Hello" }], stream: true }),
  });
  const raw = await readCutStream(response.clone()).catch(() => response.text());
  const events = [...raw.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json as string));
  const text = events.map((event) => event.choices?.[0]?.delta?.content ?? "").join("");
  return { status: response.status, raw, text };
}

const timeout = 120_000;

it.each(harmless)(
  "answer is complete in chats and completions when the provider sends %s",
  { timeout },
  async (_, script) => {
    api.upstream.script = script();
    const frames = await chat();
    expect([streamedText(frames), frames.at(-1)?.event]).toEqual([ANSWER, "done"]);
    api.upstream.script = script();
    expect(await complete()).toMatchObject({
      status: 200,
      text: ANSWER,
      raw: expect.stringContaining('"finish_reason":"stop"'),
    });
  },
);

it.each(harmful)(
  "answer ends in an error in chats and completions when the provider sends %s",
  { timeout },
  async (_, script) => {
    api.upstream.script = script();
    const frames = await chat();
    expect([streamedText(frames), frames.at(-1)?.event]).toEqual(["", "error"]);
    expect(JSON.stringify(frames)).not.toContain("s3cret");
    const { status, raw, text } = await complete();
    expect([text, status >= 400 || raw.includes('"error"')]).toEqual(["", true]);
    expect(raw).not.toContain("s3cret");
  },
);

it.each(interrupting)(
  "text before %s within an answer stays in chats and completions, and is no complete answer",
  { timeout },
  async (_, end) => {
    api.upstream.script = async (response) => {
      startEventStream(response);
      response.write(parts.join(""), () => end(response));
    };
    const frames = await chat();
    expect([streamedText(frames), frames.at(-1)?.event]).toEqual([ANSWER, "interrupted"]);
    expect(JSON.stringify(frames)).not.toContain("s3cret");
    const { raw, text } = await complete();
    expect([text, raw.includes('"error"'), raw.includes("[DONE]")]).toEqual([ANSWER, true, false]);
  },
);

it("next answer is complete after all these providers", async () => {
  api.upstream.script = streamText(["Fine."]);
  expect(streamedText(await chat())).toBe("Fine.");
});
