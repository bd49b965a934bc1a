import { beforeAll, expect, it } from "vitest";
import { readUiParts } from "#test/support/chat/stream-checks.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { createSite } from "#test/support/embed/site.ts";

const owner = new Client(newIdentity());
const written = "trainedAlgorithmicMedia";
const changed = "compositeWithTrainedAlgorithmicMedia";
let conversation: string;
let answer: string;

beforeAll(async () => {
  const { body: persona } = await owner.post("/v1/personas", { name: "Guide" });
  conversation = (await owner.post("/v1/conversations", { title: "Lighthouses", persona_id: persona.id })).body.id;
  const question = { conversation_id: conversation, content: "What is a lighthouse?" };
  const { body } = await owner.post("/v1/runtime/chat", question, { accept: "application/json" });
  answer = body.message_id;
  expect(body).toMatchObject({ digital_source_type: written, persona_version: 1 });
});

const marksOf = (messages: readonly Record<string, unknown>[]) =>
  messages.map(({ role, digital_source_type }) => [role, digital_source_type]);

it("answer of a model is marked in streams, as AI-generated with its model and the version of the persona", async () => {
  const stream = (accept: string) =>
    owner.fetch(`/v1/runtime/chat/${answer}/stream`, { headers: { accept } }).then((response) => response.text());
  const mark = { digital_source_type: written, persona_version: 1, model: expect.any(String) };
  const [first = ""] = (await stream("text/event-stream")).split("\n\n");
  expect(JSON.parse(first.replace(/^[\s\S]*data: /, ""))).toMatchObject(mark);
  const parts = readUiParts(await stream("text/event-stream; protocol=ai-sdk"));
  expect(JSON.stringify(parts.find(({ type }) => type === "message-metadata"))).toContain(written);
});

it("answer of a model is marked in exports and on shared pages, and questions are not", async () => {
  const path = `/v1/conversations/${conversation}/export`;
  const transcript = JSON.parse((await owner.post(path, { format: "json" })).text);
  expect(marksOf(transcript.messages)).toEqual([
    ["user", undefined],
    ["assistant", written],
  ]);
  expect(transcript.messages[1].persona_version).toBe(1);
  const markdown = (await owner.post(path, { format: "markdown" })).text;
  const comments = [...markdown.matchAll(/<!-- message (.*) -->/g)].map(([, json = ""]) => JSON.parse(json));
  expect(marksOf(comments)).toEqual(marksOf(transcript.messages));

  const { url } = (await owner.post(`/v1/chat/${conversation}/share-link`, { expires_in: "1h" })).body;
  const shared = (await (await fetch(owner.baseUrl + url)).json()) as { messages: Record<string, unknown>[] };
  expect(marksOf(shared.messages)).toEqual(marksOf(transcript.messages));
  const page = await (await fetch(owner.baseUrl + url, { headers: { accept: "text/html" } })).text();
  expect(page.match(/<link itemprop="digitalSourceType"[^>]*>/g)).toEqual([
    '<link itemprop="digitalSourceType" href="https://schema.org/TrainedAlgorithmicMediaDigitalSource">',
  ]);
  expect(page).toContain('<meta itemprop="softwareVersion" content="1">');
});

it("answer that a person edited is marked as composite, and an imported answer as AI-generated", async () => {
  const path = `/v1/conversations/${conversation}/messages`;
  expect((await owner.patch(`${path}/${answer}`, { content: "A tower." })).body.digital_source_type).toBe(changed);
  const question = (await owner.get(path)).body.messages[0].message_id;
  await owner.patch(`${path}/${question}`, { content: "What is a beacon?" });
  const messages = [
    { role: "user", text: "Hello" },
    { role: "assistant", text: "Hello!" },
  ];
  await owner.post(`${path}/import`, { messages });
  expect(marksOf((await owner.get(path)).body.messages)).toEqual([
    ["user", undefined],
    ["assistant", changed],
    ["user", undefined],
    ["assistant", written],
  ]);
});

it("answer to a visitor is marked as AI-generated", async () => {
  const site = await createSite(owner);
  const session = await site.createSession();
  await site.chat(session, "Hello");
  const { messages } = (await site.getSession(session)).body;
  expect(marksOf(messages)).toEqual([
    ["user", undefined],
    ["assistant", written],
  ]);
});
