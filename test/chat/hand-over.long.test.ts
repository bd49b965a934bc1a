import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ReceivedFrame, readFrames, streamedText } from "#test/support/client.ts";
import {
  type IdentityProvider,
  newSigningKey,
  type SigningKey,
  startIdentityProvider,
} from "#test/support/identity-provider.ts";
import { streamText, type Upstream } from "#test/support/models/upstream.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

let key: SigningKey;
let provider: IdentityProvider;
let upstream: Upstream;
let service: ScriptedService;

beforeAll(async () => {
  key = await newSigningKey("first");
  provider = await startIdentityProvider([key]);
  service = await startScriptedService({ env: provider.env });
  ({ upstream } = service);
});

afterAll(async () => {
  await service?.stop();
  await provider?.stop();
});

const claims = { tenant_id: `t-${randomUUID()}`, uid: "u-1", roles: ["admin"] };

const signToken = (lifetimeSeconds: number) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: "RS256", kid: "first" })
    .setIssuer(provider.issuer)
    .setAudience(provider.audience)
    .setExpirationTime(Math.floor(Date.now() / 1_000) + lifetimeSeconds)
    .sign(key.privateKey);

async function request(token: string, path: string, body?: unknown, headers = {}): Promise<Response> {
  return fetch(service.baseUrl + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Reads a run to its end over as many connections as needed. */
async function readAcrossConnections(
  first: Response,
  reconnect: (messageId: string, lastId: string) => Promise<Response>,
) {
  const endings: string[] = [];
  const frames: ReceivedFrame[] = [];
  for (let response = first; ; ) {
    const received = await Array.fromAsync(readFrames(response));
    frames.push(...received.filter(({ data, event }) => !/_expired$|^reconnect$/.test(event) && data));
    const { event = "", data } = received.at(-1) ?? {};
    endings.push(event);
    if (["done", "interrupted", "error"].includes(event)) return { endings, frames };
    response = await reconnect(String(data?.message_id), String(frames.at(-1)?.id));
  }
}

const words = Array.from({ length: 60 }, (_, n) => `word${n} `);

it("stream of an answer that takes longer than the connection ends with the reason token_expired when the token expires, and continues with a new token", async () => {
  const { id } = (await (await request(await signToken(60), "/v1/conversations", { title: "x" })).json()) as {
    id: string;
  };
  // Warms up the function, so that the short-lived token does not expire during a cold start.
  await (await request(await signToken(60), "/v1/runtime/chat", { conversation_id: id, content: "Hi" })).text();
  upstream.script = streamText(words, { pauseMs: 150 });
  const startResponse = await request(await signToken(4), "/v1/runtime/chat", { conversation_id: id, content: "Go" });
  const { endings, frames } = await readAcrossConnections(startResponse, async (messageId, lastId) =>
    request(await signToken(60), `/v1/runtime/chat/${messageId}/stream?cursor=${lastId}`),
  );
  expect(endings).toEqual(["token_expired", "done"]);
  expect(streamedText(frames)).toBe(words.join(""));
});

// Each of these tests takes over a minute.
if (isFullRun) {
  it("stream of an answer that takes longer than the connection ends with the reason stream_expired after 60 seconds, and continues on another connection", async () => {
    upstream.script = streamText(words, { pauseMs: 1_200 });
    const token = await signToken(600);
    const { id } = (await (await request(token, "/v1/conversations", { title: "x" })).json()) as { id: string };
    const startResponse = await request(token, "/v1/runtime/chat", { conversation_id: id, content: "Go" });
    const { endings, frames } = await readAcrossConnections(startResponse, (messageId, lastId) =>
      request(token, `/v1/runtime/chat/${messageId}/stream?cursor=${lastId}`),
    );
    expect(endings).toEqual(["stream_expired", "done"]);
    expect(streamedText(frames)).toBe(words.join(""));
  });

  it("stream of an answer that takes longer than the connection is replaced, for a client that accepts JSON only, by the message so far", async () => {
    upstream.script = streamText(words, { pauseMs: 1_200 });
    const token = await signToken(600);
    const { id } = (await (await request(token, "/v1/conversations", { title: "x" })).json()) as { id: string };
    const question = { conversation_id: id, content: "Go" };
    const response = await request(token, "/v1/runtime/chat", question, { accept: "application/json" });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ role: "assistant", status: "streaming" });
  });
}
