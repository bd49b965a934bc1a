import { expect, it } from "vitest";
import { Client, newIdentity, streamedText } from "#test/support/client.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { createColleague } from "#test/support/people.ts";
import { startScriptedService } from "#test/support/scripted-service.ts";

const text = `Opening hours

The reading room of the lighthouse museum opens at nine in the morning and closes at five.
On Sundays it stays closed. Groups of more than twelve people are asked to register a week ahead.

The lamp

The lamp of the lighthouse was lit for the first time in 1874 and burned rapeseed oil.`;

const addMuseumDocument = (client: Client) => addIndexedDocument(client, { title: "Visiting the museum", text });

const sourcesIn = (frames: { event: string; data: { sources: { title: string }[] } }[]) =>
  frames.filter(({ event }) => event === "search_transparency").flatMap(({ data }) => data.sources);

it("knowledge collection in a chat is searched, and passages are listed as sources and quoted verbatim in citations", async () => {
  const client = new Client();
  const { collection } = await addMuseumDocument(client);
  const id = await client.createConversation();
  const frames = await client.chat({
    conversation_id: id,
    content: "When was the lamp of the lighthouse lit for the first time?",
  });
  const events = frames.map(({ event }) => event);
  expect(events.indexOf("search_transparency")).toBeGreaterThan(events.indexOf("thinking_step"));
  expect(events.indexOf("thinking_complete")).toBeLessThan(events.indexOf("assistant_message"));
  expect(sourcesIn(frames)[0]).toMatchObject({ title: "Visiting the museum", collection_id: collection });
  expect(streamedText(frames)).toContain("1874");
  const { body } = await client.get(`/v1/conversations/${id}/messages`);
  const citations = body.messages[1].content.filter(({ type }: { type: string }) => type === "citation");
  expect(citations.length).toBeGreaterThan(0);
  for (const { quote } of citations) expect(text.replaceAll(/\s+/g, " ")).toContain(quote.replaceAll(/\s+/g, " "));
});

it("knowledge collection in a chat is not searched on the tier QUICK and is searched with several queries on the tier RESEARCH", async () => {
  const client = new Client();
  await addMuseumDocument(client);
  const id = await client.createConversation();
  const quick = await client.chat({ conversation_id: id, content: "When does it open?", tier: "QUICK" });
  expect(quick.some(({ event }) => event === "search_transparency" || event === "thinking_step")).toBe(false);
  const content = "When does the reading room open? What did the lamp burn?";
  const research = await client.chat({ conversation_id: id, content, tier: "RESEARCH" });
  const searches = research.filter(({ event }) => event === "search_transparency");
  expect(searches.length).toBeGreaterThanOrEqual(2);
  expect(searches.length).toBeLessThanOrEqual(5);
  expect(streamedText(research)).toMatch(/nine in the morning[\s\S]*rapeseed|rapeseed[\s\S]*nine in the morning/);
});

it("answer on the tier RESEARCH that combines several documents proposes a new document for the knowledge collection", async () => {
  const client = new Client();
  const { collection } = await addMuseumDocument(client);
  const historyText =
    "The lighthouse museum was founded in 1952 by the fishermen of the town. They gave it the old lamp as a present.";
  await addIndexedDocument(client, { title: "History of the museum", text: historyText }, collection);
  const listProposals = async (tier: string, caller = client) => {
    const { body } = await caller.post("/v1/conversations", { title: "Museum" });
    const content = "When was the lamp of the lighthouse lit? Who founded the lighthouse museum?";
    const frames = await caller.chat({ conversation_id: body.id, content, tier });
    const final = frames.find(({ event, data }) => event === "assistant_message" && data.final)?.data.content;
    return final.filter(({ type }: { type: string }) => type === "knowledge_proposal");
  };
  const [proposal, ...others] = await listProposals("RESEARCH");
  expect(others).toEqual([]);
  expect(proposal).toMatchObject({ collection_id: collection, title: expect.stringContaining("When was the lamp") });
  expect(await listProposals("THINKING")).toEqual([]);
  expect(await listProposals("RESEARCH", await createColleague(client, "viewer"))).toEqual([]);
  await client.post("/v1/roles", { name: "curator", permissions: ["knowledge.create"] });
  expect(await listProposals("RESEARCH", await createColleague(client, "curator"))).toHaveLength(1);
});

it("knowledge collection in a chat does not return documents of another tenant", async () => {
  const owner = new Client();
  await addMuseumDocument(owner);
  const stranger = new Client(newIdentity());
  const id = await stranger.createConversation();
  const frames = await stranger.chat({ conversation_id: id, content: "When was the lamp of the lighthouse lit?" });
  expect(sourcesIn(frames)).toEqual([]);
  expect(streamedText(frames)).toContain("I found nothing about this.");
});

it("knowledge collection in a chat is not cited when no document answers the question", async () => {
  const client = new Client();
  await addMuseumDocument(client);
  const id = await client.createConversation();
  const frames = await client.chat({ conversation_id: id, content: "Who won the world cup in 1874?" });
  expect(sourcesIn(frames)).toEqual([]);
  expect(streamedText(frames)).toContain("I found nothing about this.");
  const { body } = await client.get(`/v1/conversations/${id}/messages`);
  expect(body.messages[1].content.filter(({ type }: { type: string }) => type === "citation")).toEqual([]);
});

it("knowledge collection in a chat is searched for a question that continues the previous one, and for each part of a question", async () => {
  const client = new Client();
  const { collection } = await addMuseumDocument(client);
  const canteen = { title: "Canteen", text: "The canteen serves lunch until two. It closes on Sundays in winter." };
  await addIndexedDocument(client, canteen, collection);
  const id = await client.createConversation();
  const ask = (content: string) => client.chat({ conversation_id: id, content, tier: "THINKING" });
  const queriesIn = (frames: { event: string; data: { query: string } }[]) =>
    frames.filter(({ event }) => event === "search_transparency").map(({ data }) => data.query);
  expect(queriesIn(await ask("When does the reading room of the museum open?"))).toHaveLength(1);
  const continued = await ask("And on Sundays?");
  expect(new Set(queriesIn(continued))).toEqual(new Set(["And on Sundays?"]));
  const search = continued.findLast(({ event }) => event === "search_transparency");
  expect(search?.data.sources[0]).toMatchObject({ title: "Visiting the museum" });
  const compound = await ask(
    "When was the lamp of the lighthouse lit, and until when does the canteen serve lunch, and who repairs bicycles?",
  );
  const parts = [
    "When was the lamp of the lighthouse lit",
    "until when does the canteen serve lunch",
    "who repairs bicycles?",
  ];
  expect(queriesIn(compound)).toEqual(expect.arrayContaining(parts));
  expect(streamedText(compound)).toMatch(/1874[\s\S]*until two|until two[\s\S]*1874/);
  expect(streamedText(compound)).toMatch(/I found nothing about this\.\n\n> who repairs bicycles\?/);
});

it("knowledge collection in a chat is searched only in the documents that a question names, on every tier and when the question is asked again", async () => {
  const client = new Client();
  const { collection, document } = await addMuseumDocument(client);
  const boats = {
    title: "Boats",
    text: "The lamp of the boats was lit for the first time in 1931.\n\nThey are blue.",
  };
  const other = await addIndexedDocument(client, boats, collection);
  const id = await client.createConversation();
  const ask = async (body: object) => {
    const frames = await client.chat({ conversation_id: id, ...body });
    return { frames, titles: new Set(sourcesIn(frames).map(({ title }) => title)) };
  };
  const content = "When was the lamp lit for the first time?";
  const documents = [{ collection_id: collection, document_id: other.document }];
  const first = await ask({ content, documents });
  expect([...first.titles]).toEqual(["Boats"]);
  expect(streamedText(first.frames)).toContain("1931");
  const [question, answer] = (await client.get(`/v1/conversations/${id}/messages`)).body.messages;
  expect(question.documents).toEqual([{ ...documents[0], title: "Boats" }]);
  for (const again of [
    { regenerate_message_id: answer.message_id },
    { edit_message_id: question.message_id, content: "Summarize it, please.", tier: "QUICK" },
  ]) {
    expect([...(await ask(again)).titles]).toEqual(["Boats"]);
  }
  const museum = [{ collection_id: collection, document_id: document }];
  expect([...(await ask({ edit_message_id: question.message_id, content, documents: museum })).titles]).toEqual([
    "Visiting the museum",
  ]);
  expect([...(await ask({ content })).titles].sort()).toEqual(["Boats", "Visiting the museum"]);
});

it("knowledge collection in a chat cannot be named by a user who may not read it, and is no longer read after it was deleted", async () => {
  const client = new Client();
  const { id: collection } = (await client.post("/v1/knowledge/collections", { name: "Private" })).body;
  const { document } = await addIndexedDocument(client, { title: "Diary", text: "The diary is secret." }, collection);
  const documents = [{ collection_id: collection, document_id: document }];
  const send = async (caller: Client) =>
    caller.post(
      "/v1/runtime/chat",
      {
        ...{ conversation_id: await caller.createConversation(), content: "What is secret?", documents },
      },
      { accept: "application/json" },
    );
  const reply = await send(client);
  expect(reply.body.content[0].text).toContain("secret");
  expect((await send(await createColleague(client, "member"))).status).toBe(404);
  await client.delete(`/v1/knowledge/collections/${collection}/documents/${document}`);
  const again = { conversation_id: reply.body.conversation_id, regenerate_message_id: reply.body.message_id };
  expect(sourcesIn(await client.chat(again))).toEqual([]);
  expect((await send(client)).status).toBe(404);
});

it("answer's model reads how the owner of the collection wants its passages to be used, and citations have the date of the version", async () => {
  const service = await startScriptedService({ script: streamText(["In 1874 [1]."]) });
  try {
    const client = new Client(newIdentity(), service.baseUrl);
    const { collection } = await addMuseumDocument(client);
    const path = `/v1/knowledge/collections/${collection}`;
    const instructions = "Quote, do not paraphrase.";
    expect((await client.patch(path, { instructions, max_age_days: 30 })).body).toMatchObject({
      ...{ instructions, max_age_days: 30 },
    });
    expect((await client.patch(path, { max_age_days: 0 })).status).toBe(400);
    expect((await client.patch(path, { instructions: "x".repeat(501) })).status).toBe(400);
    const id = await client.createConversation();
    const content = "When was the lamp of the lighthouse lit for the first time?";
    const frames = await client.chat({ conversation_id: id, content });
    const today = new Date().toISOString().slice(0, 10);
    expect(sourcesIn(frames)[0]).toMatchObject({ updated_at: expect.stringContaining(today), is_outdated: false });
    const prompt = JSON.stringify(service.upstream.requests.map(({ body }) => body));
    expect(prompt).toContain(String.raw`>\n${instructions}`);
    expect(prompt).toContain(String.raw`date=\"${today}`);
    const { body } = await client.get(`/v1/conversations/${id}/messages`);
    expect(body.messages[1].content.at(-1)).toMatchObject({ type: "citation", is_outdated: false });

    // The result of a search by the model tells the same.
    service.upstream.script = (response, request) => {
      const isSearched = JSON.stringify(request.body.messages).includes('"role":"tool"');
      const script = isSearched
        ? streamText(["In 1874 [1]."])
        : streamToolCalls(["search_knowledge", '{"query":"lamp"}']);
      return script(response, request);
    };
    const searched = service.upstream.requests.length;
    await client.chat({
      conversation_id: await client.createConversation(),
      content: "Hello",
      tier: "THOUGHT_PARTNER",
    });
    const told = JSON.stringify(service.upstream.requests.slice(searched).map(({ body }) => body.messages));
    expect(told).toContain(String.raw`\"collection_instructions\":\"${instructions}`);
    expect(told).toContain(String.raw`\"date\":\"${today}`);

    // Instructions are checked like passages.
    expect((await client.patch(path, { instructions: "Use the key AKIAZ7QK4WJ5M2XN3VBT." })).status).toBe(200);
    const checked = service.upstream.requests.length;
    await client.chat({
      conversation_id: await client.createConversation(),
      content: "Hello",
      tier: "THOUGHT_PARTNER",
    });
    const allowed = JSON.stringify(service.upstream.requests.slice(checked).map(({ body }) => body.messages));
    expect([allowed.includes("1874"), allowed.includes("collection_instructions")]).toEqual([true, false]);
  } finally {
    await service.stop();
  }
});
