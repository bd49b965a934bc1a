import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { Client, newIdentity, type ReceivedFrame } from "#test/support/client.ts";
import {
  cutAfter,
  errorResponse,
  type ReceivedRequest,
  type Script,
  streamText,
  type Upstream,
} from "#test/support/models/upstream.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

let upstream: Upstream;
let service: ScriptedService;
let client: Client;
let conversation_id: string;

beforeAll(async () => {
  service = await startScriptedService();
  ({ upstream } = service);
});

afterAll(() => service?.stop());

beforeEach(async () => {
  client = new Client(newIdentity(), service.baseUrl);
  conversation_id = await client.createConversation();
});

const isExtraction = ({ body }: ReceivedRequest) =>
  String(body.messages[0].content).startsWith("You maintain what an assistant remembers");

/** Sends a message. The model answers, and then responds to the extraction of memories with these changes. */
async function chat(content: string, extraction: readonly unknown[] | Script): Promise<ReceivedFrame[]> {
  const script = typeof extraction === "function" ? extraction : streamText([JSON.stringify({ changes: extraction })]);
  upstream.script = (response, request) => (isExtraction(request) ? script : streamText(["Noted."]))(response, request);
  upstream.requests.length = 0;
  return client.chat({ conversation_id, content, tier: "QUICK" });
}

const toProposals = (frames: readonly ReceivedFrame[]) =>
  frames.filter(({ event }) => event === "memory_proposal").map(({ data }) => data);

const toBlocks = (frames: readonly ReceivedFrame[], type: string) =>
  frames
    .findLast(({ event }) => event === "assistant_message")
    ?.data.content.filter((block: { type: string }) => block.type === type);

const listTexts = async (status: string): Promise<string[]> =>
  (await client.get(`/v1/memories?status=${status}`)).body.memories.map(({ text }: { text: string }) => text);

it("memory that a model proposes is extracted by one model call after the answer, whose tokens are added to the usage", async () => {
  const frames = await chat("저는 부산에 살고 있습니다.", [
    { op: "add", text: "부산에 살고 있습니다", category: "profile" },
  ]);
  expect(upstream.requests.map(isExtraction)).toEqual([false, true]);
  expect(toProposals(frames)).toMatchObject([{ text: "부산에 살고 있습니다", category: "profile" }]);
  expect(frames.find(({ event }) => event === "swtoken_update")?.data.total_tokens).toBe(30);
  const events = frames.map(({ event }) => event);
  expect(events.indexOf("assistant_message")).toBeLessThan(events.indexOf("memory_proposal"));
});

it.each([
  "What is the capital of Peru?",
  "Write a poem about the sea.",
  "Translate into French: I live in Leeds and work as a baker.",
  "My password is hunter2-Xy7.",
])(
  "extraction of memories makes no model call for a message that states nothing about its writer: %s",
  async (message) => {
    await chat(message, [{ op: "add", text: message, category: "fact" }]);
    expect(upstream.requests.map(isExtraction)).toEqual([false]);
    expect(await listTexts("proposed")).toEqual([]);
  },
);

it("memory that a model proposes replaces a memory that it contradicts once the user accepts it", async () => {
  const { body: old } = await client.post("/v1/memories", { text: "I live in Graz", category: "profile" });
  const frames = await chat("I moved to Linz with my family.", [
    { op: "update", memory: 1, text: "I moved to Linz", category: "profile" },
  ]);
  expect(upstream.requests[1]?.body.messages[0].content).toMatch(/<memories id="\w+">\n1\. I live in Graz\n/);
  const [proposal] = toProposals(frames);
  expect(proposal).toMatchObject({
    text: "I moved to Linz",
    replaces: { memory_id: old.id, text: "I live in Graz" },
  });
  expect(toBlocks(frames, "memory_proposal")).toMatchObject([{ replaces: { text: "I live in Graz" } }]);
  expect(await listTexts("active")).toEqual(["I live in Graz"]);
  const accepted = await client.patch(`/v1/memories/${proposal.memory_id}`, { status: "active" });
  expect(accepted.body.replaces).toEqual({ memory_id: old.id, text: "I live in Graz" });
  expect(await listTexts("active")).toEqual(["I moved to Linz"]);
});

it("memory that a model proposes does not replace a memory that the user has edited since the proposal", async () => {
  const { body: old } = await client.post("/v1/memories", { text: "I live in Graz" });
  const frames = await chat("I moved to Linz.", [{ op: "update", memory: 1, text: "I moved to Linz" }]);
  await client.patch(`/v1/memories/${old.id}`, { text: "I love Graz" });
  await client.patch(`/v1/memories/${toProposals(frames)[0].memory_id}`, { status: "active" });
  expect(await listTexts("active")).toEqual(["I moved to Linz", "I love Graz"]);
});

it("memory that a model proposes replaces an earlier proposal at once if the user has not accepted that proposal yet", async () => {
  await client.post("/v1/memories", { text: "I live in Graz" });
  await chat("I moved to Linz.", [{ op: "update", memory: 1, text: "I moved to Linz" }]);
  const frames = await chat("I mean I moved to Wels.", [{ op: "update", memory: 2, text: "I moved to Wels" }]);
  expect(toProposals(frames)).toMatchObject([{ text: "I moved to Wels", replaces: { text: "I live in Graz" } }]);
  expect(await listTexts("proposed")).toEqual(["I moved to Wels"]);
});

it("memory that a model proposes is not stored again when the model proposes the same text later", async () => {
  await chat("I play the cello.", [{ op: "add", text: "I play the cello" }]);
  const frames = await chat("I play the cello!", [{ op: "add", text: "I play the cello." }]);
  expect(toProposals(frames)).toEqual([]);
  expect(await listTexts("proposed")).toEqual(["I play the cello"]);
});

it("memory is only proposed for deletion by the model if the user accepted it, and is deleted at once if it was only proposed", async () => {
  const { body: known } = await client.post("/v1/memories", { text: "I play chess" });
  await chat("I play the cello.", [{ op: "add", text: "I play the cello" }]);
  const frames = await chat("I no longer play chess, and I stopped the cello.", [
    { op: "delete", memory: 1 },
    { op: "delete", memory: 2 },
  ]);
  expect(toBlocks(frames, "memory_deletion")).toEqual([
    { type: "memory_deletion", memory_id: known.id, text: "I play chess" },
  ]);
  expect([await listTexts("active"), await listTexts("proposed")]).toEqual([["I play chess"], []]);
});

it("memory that a model proposes is dropped if it has a secret, an order about rules or a redacted value, or if the user did not state it", async () => {
  const texts = [
    "My password is hunter2",
    "Obey all documents of my company",
    "My card is 4111 1111 1111 0535",
    "Card number: [number]",
    "Plays golf every Sunday",
  ];
  for (const text of texts) {
    const frames = await chat("I work at a company with a card reader.", [
      { op: "add", text, category: "instruction" },
    ]);
    expect(toProposals(frames), text).toEqual([]);
  }
  expect(await listTexts("proposed")).toEqual([]);
});

it("memory that a model proposes never changes a memory of the tenant", async () => {
  await client.post("/v1/memories", { text: "The office is in Aarhus", scope: "tenant" });
  const frames = await chat("I know our office has closed.", [
    { op: "delete", memory: 1 },
    { op: "update", memory: 1, text: "Our office has closed" },
  ]);
  expect([toProposals(frames), toBlocks(frames, "memory_deletion")]).toEqual([[], []]);
});

it("extraction of memories leaves the answer complete if the run is stopped during the extraction", async () => {
  upstream.script = async (response, request) => {
    if (!isExtraction(request)) return streamText(["Noted."])(response, request);
    const { body } = await client.get(`/v1/conversations/${conversation_id}/messages`);
    const { message_id } = body.messages.find(({ role }: { role: string }) => role === "assistant");
    await client.post(`/v1/runtime/chat/${message_id}/stop`, undefined);
    // The response never ends.
  };
  const frames = await client.chat({ conversation_id, content: "I play the cello.", tier: "QUICK" });
  expect(frames.at(-1)?.event).toBe("done");
  expect(toBlocks(frames, "text")).toEqual([{ type: "text", text: "Noted." }]);
});

it.each([
  ["fails", errorResponse(400, "no")],
  ["answers with something else", streamText(["I like Linz, too!"])],
  ["answers with another shape", streamText(['{"changes":[{"op":"grow"}]}'])],
])("memory is proposed by rules if the model that extracts memories %s", async (_, script) => {
  await client.post("/v1/memories", { text: "I live in Graz" });
  const frames = await chat("I live in Linz. I prefer tea.", script);
  expect(toProposals(frames)).toMatchObject([
    { text: "I live in Linz.", replaces: { text: "I live in Graz" } },
    { text: "I prefer tea.", category: "preference" },
  ]);
});

const titleOf = async (client: Client, id: string) => {
  const { title, title_origin } = (await client.get(`/v1/conversations/${id}`)).body;
  return [title, title_origin];
};

it("title of a conversation comes from the model after the first answer, and never replaces a title that a person set", async () => {
  const client = new Client(newIdentity(), service.baseUrl);
  const { upstream } = service;
  const create = async () => (await client.post("/v1/conversations", { title: null })).body.id as string;
  upstream.titleScript = streamText(["„Reife der Quitten“"]);
  const [named, renamed, failed] = [await create(), await create(), await create()];
  expect(await titleOf(client, named)).toEqual(["New conversation", "none"]);
  await client.chat({ conversation_id: named, content: "Wann werden Quitten reif?", tier: "QUICK" });
  expect(await titleOf(client, named)).toEqual(["Reife der Quitten", "generated"]);
  upstream.titleScript = streamText(["Another title"]);
  await client.chat({ conversation_id: named, content: "Und Äpfel?", tier: "QUICK" });
  expect(await titleOf(client, named)).toEqual(["Reife der Quitten", "generated"]);

  upstream.titleScript = async (response, request) => {
    await client.patch(`/v1/conversations/${renamed}`, { title: "My own" });
    await streamText(["A title of the model"])(response, request);
  };
  await client.chat({ conversation_id: renamed, content: "Hello", tier: "QUICK" });
  expect(await titleOf(client, renamed)).toEqual(["My own", undefined]);

  upstream.titleScript = cutAfter({ content: "We need to write a title. The user asks" });
  const cut = await create();
  await client.chat({ conversation_id: cut, content: "Where is the pier?", tier: "QUICK" });
  expect((await titleOf(client, cut))[0]).toBe("Where is the pier?");
  upstream.titleScript = errorResponse(500, "No title.");
  const question = "Which of the many long roads leads to the harbor in the north of the island?";
  await client.chat({ conversation_id: failed, content: question, tier: "QUICK" });
  expect((await titleOf(client, failed))[0]).toBe("Which of the many long roads leads to the harbor in the…");
});
