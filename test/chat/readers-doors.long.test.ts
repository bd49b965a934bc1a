import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { Client, newIdentity, readFrames } from "#test/support/client.ts";
import { createSite } from "#test/support/embed/site.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { seededRandom, syntheticWord } from "#test/support/knowledge/synthetic-text.ts";
import { type ReceivedRequest, streamText } from "#test/support/models/upstream.ts";
import { createColleague } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

const [PEOPLE, DOCUMENTS] = [10, 40];

/** Document with words that occur nowhere else, by which a leak is recognized. */
interface Sheet {
  readonly id: string;
  readonly collection: Shelf;
  readonly author: Client;
  readonly readers: readonly string[] | null;
  readonly title: string;
  readonly secret: string;
}

interface Shelf {
  readonly id: string;
  readonly name: string;
  readonly owner: Client;
  readers: readonly string[];
}

let service: ScriptedService;
let admin: Client;
const people: Client[] = [];
const members = new Map<string, Set<string>>();
const shelves: Shelf[] = [];
const sheets: Sheet[] = [];
/** Sources in the prompts of the scripted model. It answers with references to all of them. */
const answer = streamText(["Blue, as [1], [2], [3], [4], [5] and [6] say."]);

const random = seededRandom(400);
const pick = <Entry>(entries: readonly Entry[]) => entries[Math.floor(random() * entries.length)] as Entry;
const some = <Entry>(entries: readonly Entry[], share: number) => entries.filter(() => random() < share);
const idOf = ({ identity }: Client) => identity.user;

const matches = (reader: string, person: Client) =>
  reader === "tenant" ||
  reader === `user:${idOf(person)}` ||
  members.get(reader.replace("group:", ""))?.has(idOf(person));
const mayReadShelf = (person: Client | null, { owner, readers }: Shelf) =>
  readers.includes("tenant") ||
  (person !== null && (owner === person || readers.some((each) => matches(each, person))));
const mayRead = (person: Client | null, { collection, author, readers }: Sheet) =>
  mayReadShelf(person, collection) &&
  (readers === null ||
    readers.includes("tenant") ||
    (person !== null &&
      (collection.owner === person || author === person || readers.some((each) => matches(each, person)))));

/** Returns the texts that a person must not see anywhere; for null, those of a visitor. */
const forbidden = (person: Client | null) => [
  ...sheets.filter((sheet) => !mayRead(person, sheet)).flatMap(({ title, secret }) => [title, secret]),
  ...shelves.filter((shelf) => !mayReadShelf(person, shelf)).map(({ name }) => name),
];

/** Fails if a text contains anything that a person must not see. */
function expectNoLeak(person: Client | null, door: string, text: string): void {
  const leaks = forbidden(person).filter((secret) => text.includes(secret));
  expect({ door, person: person && idOf(person), leaks }).toMatchObject({ leaks: [] });
}

const promptsSince = (start: number) =>
  JSON.stringify(service.upstream.requests.slice(start).map(({ body }: ReceivedRequest) => body));

beforeAll(async () => {
  service = await startScriptedService({ script: answer, env: { RATE_LIMIT_API_KEY: "1000000" } });
  admin = new Client(newIdentity(), service.baseUrl);
  await admin.get("/v1/me");
  for (let index = 0; index < PEOPLE; index++) people.push(await createColleague(admin));
  for (let index = 0; index < 4; index++) {
    const of = some(people.map(idOf), 0.4);
    const { body } = await admin.post("/v1/groups", { name: `Group ${index}`, roles: [], member_ids: of });
    members.set(body.id, new Set(of));
  }
  const someReaders = () =>
    random() < 0.2
      ? ["tenant"]
      : [
          ...some([...members.keys()], 0.35).map((id) => `group:${id}`),
          ...some(people, 0.08).map((each) => `user:${idOf(each)}`),
        ].sort();
  for (let index = 0; index < 8; index++) {
    const readers = index === 0 ? ["tenant"] : someReaders();
    const [owner, name] = [pick(people), `Shelf ${syntheticWord(9_000 + index)}`];
    const { body, text } = await owner.post("/v1/knowledge/collections", { name, readers });
    expect(body?.readers, text).toEqual(readers);
    shelves.push({ id: body.id, name, owner, readers });
  }
  for (let index = 0; index < DOCUMENTS; index++) {
    const collection = pick(shelves);
    const author = pick(people.filter((each) => mayReadShelf(each, collection)));
    const [title, secret] = [`Sheet ${syntheticWord(7_000 + index)}`, `${syntheticWord(8_000 + index)} paint`];
    const readers = random() < 0.5 ? null : someReaders();
    const path = `/v1/knowledge/collections/${collection.id}/documents`;
    const fields = { title, text: `The color of the harbor is blue with ${secret}.`, readers };
    const { body, text } = await author.post(path, fields);
    expect(body?.title, text).toBe(title);
    sheets.push({ id: body.id, collection, author, readers, title, secret });
  }
  for (const { id, collection } of sheets) {
    const path = `/v1/knowledge/collections/${collection.id}/documents/${id}`;
    const isReady = async () => expect((await collection.owner.get(path)).body.status).toBe("ready");
    await vi.waitFor(isReady, { timeout: 180_000 });
  }
});
afterAll(() => service?.stop());

const question = "Which color is the harbor, and with which paint?";

/** Asks in a new conversation and returns the stream, the conversation, and what the model was told. */
async function ask(person: Client, extra: object = {}, conversation?: string) {
  const id = conversation ?? (await person.createConversation());
  const start = service.upstream.requests.length;
  const frames = await person.chat({ conversation_id: id, content: question, ...extra });
  return {
    id,
    frames,
    prompt: promptsSince(start),
    message_id: frames.find(({ event }) => event === "metadata")?.data.message_id,
  };
}

it(`knowledge shows none of ${PEOPLE * DOCUMENTS} pairs of person and document through the API, chats and MCP against the rules`, async () => {
  let pairs = 0;
  for (const person of people) {
    const see = (door: string, text: string) => expectNoLeak(person, door, text);
    const mcp = async (method: string, params: object = {}) =>
      (await person.post("/mcp", { jsonrpc: "2.0", id: 1, method, params })).text;
    const listed = await person.get("/v1/knowledge/collections?limit=100");
    see("list of collections", listed.text);
    const readableShelves = shelves.filter((shelf) => mayReadShelf(person, shelf));
    const listedIds = listed.body.collections.map(({ id }: { id: string }) => id);
    expect(listedIds.toSorted()).toEqual(readableShelves.map(({ id }) => id).sort());
    for (const { id, document_count } of listed.body.collections) {
      const of = sheets.filter(({ collection }) => collection.id === id);
      const isOwner = of[0]?.collection.owner === person || shelves.find((each) => each.id === id)?.owner === person;
      expect(document_count).toBe(isOwner ? of.length : of.filter(({ readers }) => readers === null).length);
    }
    for (let cursor = ""; ; ) {
      const reply = await mcp("resources/list", cursor ? { cursor } : {});
      see("MCP resources", reply);
      cursor = JSON.parse(reply).result.nextCursor ?? "";
      if (!cursor) break;
    }
    for (const shelf of shelves) {
      const path = `/v1/knowledge/collections/${shelf.id}`;
      for (const suffix of ["", "/documents?limit=100", "/imports"]) {
        const { status, text } = await person.get(path + suffix);
        see(`collection ${suffix}`, text);
        expect(status).toBe(mayReadShelf(person, shelf) ? 200 : 404);
      }
    }
    // The name of a hidden collection is free, so that no error tells of it.
    const hidden = shelves.find((shelf) => !mayReadShelf(person, shelf));
    if (hidden) {
      const named = await person.post("/v1/knowledge/collections", { name: hidden.name });
      expect([named.status, (await person.delete(`/v1/knowledge/collections/${named.body.id}`)).status]).toEqual([
        201, 204,
      ]);
    }
    const conversation = await person.createConversation();
    for (const sheet of sheets) {
      pairs++;
      const { id, collection, title, secret } = sheet;
      const isReadable = mayRead(person, sheet);
      const path = `/v1/knowledge/collections/${collection.id}/documents/${id}`;
      for (const [method, suffix, body] of [
        ["GET", "", undefined],
        ["GET", "/passages/0", undefined],
        ["PATCH", "", isReadable ? undefined : { readers: null }],
        ["PUT", "", isReadable ? undefined : { title: "Mine", text: "Mine" }],
        ["DELETE", "", isReadable ? undefined : null],
      ] as const) {
        if (method !== "GET" && body === undefined) continue;
        const { status, text } = await person.request(method, path + suffix, body ?? undefined);
        see(`${method} document${suffix}`, text);
        expect({ method, suffix, status }).toMatchObject({ status: isReadable ? 200 : 404 });
      }
      const found = await person.get(`/v1/knowledge/search?q=${encodeURIComponent(secret)}&limit=100`);
      // The reply repeats the question.
      see("search", JSON.stringify(found.body.results));
      expect(found.body.results.some(({ document_id }: { document_id: string }) => document_id === id)).toBe(
        isReadable,
      );
      see(
        "search in a document's collection",
        (await person.get(`/v1/knowledge/search?q=blue&collection_id=${collection.id}`)).text,
      );
      see(
        "MCP resource",
        await mcp("resources/read", { uri: `switchboard://collections/${collection.id}/documents/${id}` }),
      );
      const passage = { collection_id: collection.id, document_id: id, passage: 0 };
      see("MCP passage", await mcp("tools/call", { name: "read_passage", arguments: passage }));
      if (isReadable) continue;
      // `@` in the message field.
      const documents = [{ collection_id: collection.id, document_id: id }];
      const refused = await person.post("/v1/runtime/chat", {
        conversation_id: conversation,
        content: "It?",
        documents,
      });
      expect(refused.status).toBe(404);
      see("named document", refused.text);
      void title;
    }
    see("MCP search", await mcp("tools/call", { name: "search_knowledge", arguments: { query: question, limit: 20 } }));
    for (const tier of ["THINKING", "RESEARCH"]) {
      const { id, frames, prompt } = await ask(person, { tier });
      see(`stream of ${tier}`, JSON.stringify(frames));
      see(`prompts of ${tier}`, prompt);
      see(`messages of ${tier}`, (await person.get(`/v1/conversations/${id}/messages`)).text);
      see(`summary of ${tier}`, (await person.get(`/v1/conversations/${id}/summary`)).text);
    }
  }
  expect(pairs).toBe(PEOPLE * DOCUMENTS);
});

it("a citation of a source that a reader of a shared conversation may not read names nothing, in lists, streams, exports and public pages", async () => {
  for (const asker of people) {
    const { id, message_id } = await ask(asker);
    const own = (await asker.get(`/v1/conversations/${id}/messages`)).body.messages.at(-1).content;
    const cited = own.filter(({ type }: { type: string }) => type === "citation");
    for (const reader of people.filter((each) => each !== asker)) {
      await asker.post(`/v1/chat/${id}/share`, { user_id: idOf(reader), permission: "READ" });
      const { body, text } = await reader.get(`/v1/conversations/${id}/messages`);
      expectNoLeak(reader, "shared messages", text);
      const shown = body.messages.at(-1).content.filter(({ type }: { type: string }) => type === "citation");
      expect(shown).toHaveLength(cited.length);
      for (const [index, citation] of shown.entries()) {
        const sheet = sheets.find((each) => each.id === cited[index].document_id) as Sheet;
        if (mayRead(reader, sheet)) expect(citation).toEqual(cited[index]);
        else {
          expect(citation).toEqual({
            ...{ type: "citation", index: cited[index].index, source_id: "", source_type: "hidden" },
            title: "A source that you may not read, or that was deleted",
            ...{ collection_id: null, uri: null, quote: "", score: 0 },
          });
        }
      }
      const replayed = await reader.fetch(`/v1/runtime/chat/${message_id}/stream`);
      expectNoLeak(reader, "stream of a shared answer", await replayed.text());
      for (const format of ["json", "markdown"]) {
        expectNoLeak(
          reader,
          `export as ${format}`,
          (await reader.post(`/v1/conversations/${id}/export`, { format })).text,
        );
      }
    }
    const link = (await asker.post(`/v1/chat/${id}/share-link`, { expires_in: "1h" })).body;
    for (const accept of ["application/json", "text/html"]) {
      const response = await fetch(`${service.baseUrl}/v1/shared/${link.token}`, { headers: { accept } });
      expect(response.status).toBe(200);
      expectNoLeak(null, `public page as ${accept}`, await response.text());
    }
  }
});

it("website visitors and API keys get only knowledge of the whole tenant from a persona with all collections", async () => {
  const collection_ids = shelves.map(({ id }) => id);
  const site = await createSite(admin, { persona: { collection_ids, tier: "THINKING" } });
  const start = service.upstream.requests.length;
  const session = await site.createSession();
  expectNoLeak(null, "widget", JSON.stringify(await site.chat(session, question)));
  expectNoLeak(null, "widget's session", (await site.getSession(session)).text);
  const persona = { name: "All", instructions: "Be brief.", visibility: "public", tier: "THINKING", collection_ids };
  const { body } = await admin.post("/v1/personas", persona);
  await admin.post(`/v1/personas/${body.id}/publish`, { slug: "all" });
  const key = { description: "k", scopes: ["chat.completions"] };
  const created = await admin.post("/v1/tenant/api-keys", key, { "idempotency-key": crypto.randomUUID() });
  const response = await fetch(`${service.baseUrl}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${created.body.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "all", messages: [{ role: "user", content: question }] }),
  });
  expect(response.status).toBe(200);
  expectNoLeak(null, "OpenAI-compatible API", await response.text());
  const prompts = promptsSince(start);
  expectNoLeak(null, "prompts for visitors and keys", prompts);
  const open = sheets.filter((sheet) => mayRead(null, sheet));
  expect(open.some(({ secret }) => prompts.includes(secret))).toBe(true);
});

it("stream that is replayed or resumed for a website visitor names no source that is hidden since", async () => {
  const title = "Moorings";
  const text = `${question} The harbor is blue with slate paint.`;
  const { collection } = await addIndexedDocument(admin, { title, text });
  const site = await createSite(admin, { persona: { collection_ids: [collection], tier: "THINKING" } });
  const session = await site.createSession();
  const key = { "idempotency-key": crypto.randomUUID() };
  const first = await Array.fromAsync(readFrames(await site.sendMessage(session, question, key)));
  expect(JSON.stringify(first)).toContain(title);
  const doors = async () => {
    const path = `/v1/embed/sessions/${session}/messages/${first.at(-1)?.data.message_id}/stream`;
    const replays = [site.sendMessage(session, question, key), site.fetch("GET", path)];
    const json = { ...key, accept: "application/json" };
    return [...(await Promise.all(replays)), await site.sendMessage(session, question, json)];
  };
  const texts = async () => Promise.all((await doors()).map((response) => response.text()));
  for (const shown of await texts()) expect(shown).toContain(title);
  const changed = await admin.patch(`/v1/knowledge/collections/${collection}`, { readers: [`user:${idOf(admin)}`] });
  expect(changed.status).toBe(200);
  for (const hidden of await texts()) {
    expect(hidden).toContain('"type":"citation"');
    expect(hidden).not.toMatch(/Moorings|slate/);
  }
});

it("a group that a person leaves and a list that becomes narrower take effect at the next question of the same conversation", async () => {
  const person = people[0] as Client;
  const word = syntheticWord(6_000);
  const { body: group } = await admin.post("/v1/groups", { name: "Changing", roles: [], member_ids: [idOf(person)] });
  const readers = [`group:${group.id}`];
  const { body: shelf } = await admin.post("/v1/knowledge/collections", { name: `Shelf of ${word}`, readers });
  const path = `/v1/knowledge/collections/${shelf.id}`;
  const { body: sheet } = await admin.post(`${path}/documents`, {
    title: `About ${word}`,
    text: `A ${word} is green.`,
  });
  const search = async () => (await person.get(`/v1/knowledge/search?q=${word}`)).body.results.length;
  await expect.poll(search).toBe(1);
  const content = `What is a ${word}?`;
  const first = await ask(person, { content });
  expect(first.prompt).toContain(`A ${word} is green.`);
  const messages = () => person.get(`/v1/conversations/${first.id}/messages`);
  expect((await messages()).text).toContain(`About ${word}`);
  const setMembers = (...member_ids: string[]) => admin.patch(`/v1/groups/${group.id}`, { member_ids });
  const expectHidden = async () => {
    expect(await search()).toBe(0);
    const again = await ask(person, { content }, first.id);
    expect(again.prompt).not.toContain("is green");
    expect(again.prompt).not.toContain(`About ${word}`);
    expect((await messages()).text).not.toContain(`About ${word}`);
    expect((await person.get(`${path}/documents/${sheet.id}`)).status).toBe(404);
    expect((await person.get("/v1/knowledge/collections?limit=100")).text).not.toContain(shelf.id);
    const exported = await person.post(`/v1/conversations/${first.id}/export`, { format: "markdown" });
    expect(exported.text).not.toContain(`About ${word}`);
    const { body: started } = await person.post("/v1/exports", undefined);
    const getUrl = async () => (await person.get(`/v1/exports/${started.export.id}`)).body.download_url;
    await expect.poll(getUrl).toEqual(expect.any(String));
    const archive = await fetch(new URL(await getUrl(), service.baseUrl));
    const text = await archive.text();
    expect(text).toContain(first.id);
    expect(text).not.toContain(`About ${word}`);
  };
  await setMembers();
  await expectHidden();
  // A member finds it again without any indexing.
  await setMembers(idOf(person));
  expect(await search()).toBe(1);
  expect((await messages()).text).toContain(`About ${word}`);
  await admin.patch(path, { readers: [] });
  await expectHidden();
  await admin.patch(path, { readers });
  await expect.poll(search).toBe(1);
  await admin.patch(`${path}/documents/${sheet.id}`, { readers: [] });
  expect(await search()).toBe(0);
  await admin.patch(`${path}/documents/${sheet.id}`, { readers: null });
  await expect.poll(search).toBe(1);
  await admin.delete(`/v1/groups/${group.id}`);
  await expectHidden();
});
