import { expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";

const filler = (word: string) => `${word} stands in this sentence, and little else does. `.repeat(30);
const chapters = ["Harbor", "Lighthouse", "Museum", "Village"];
const text = chapters.map((chapter) => `# ${chapter}\n\n${filler(chapter)}`).join("\n\n");

const addGuide = async (client: Client) => {
  const indexed = await addIndexedDocument(client, { title: "Guide", text, media_type: "text/markdown" });
  const path = `/v1/knowledge/collections/${indexed.collection}/documents/${indexed.document}`;
  return { ...indexed, path };
};

it("passage of a knowledge document is returned with the passages before and after it", async () => {
  const client = new Client();
  const { collection, document, path } = await addGuide(client);
  const { status, body } = await client.get(`${path}/passages/1`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    document_id: document,
    collection_id: collection,
    title: "Guide",
    uri: null,
    passage: 1,
    page: null,
    heading: "Lighthouse",
    passage_count: 4,
  });
  expect(body.before.map(({ passage }: { passage: number }) => passage)).toEqual([0]);
  expect(body.after.map(({ passage }: { passage: number }) => passage)).toEqual([2]);
  const { body: wide } = await client.get(`${path}/passages/0?neighbors=5`);
  expect([wide.before.length, wide.after.length]).toEqual([0, 3]);
});

it("passage of a knowledge document contains the snippets of search results and the quotes of citations verbatim", async () => {
  const client = new Client();
  const { collection, document } = await addGuide(client);
  const { body: found } = await client.get("/v1/knowledge/search?q=lighthouse%20sentence");
  const conversation = await client.createConversation();
  const frames = await client.chat({ conversation_id: conversation, content: "Which sentence has the Lighthouse?" });
  const [sources] = frames.filter(({ event }) => event === "search_transparency").map(({ data }) => data.sources);
  const { body: messages } = await client.get(`/v1/conversations/${conversation}/messages`);
  const citations = messages.messages[1].content.filter(({ type }: { type: string }) => type === "citation");
  expect(citations.length).toBeGreaterThan(0);
  for (const source of [...found.results, ...sources, ...citations]) {
    expect(source).toMatchObject({ document_id: document, page: null, heading: expect.any(String) });
    const path = `/v1/knowledge/collections/${source.collection_id}/documents/${source.document_id}`;
    const { body: passage } = await client.get(`${path}/passages/${source.passage}`);
    expect(passage.text).toContain(source.snippet ?? source.quote);
    expect(passage.heading).toBe(source.heading);
  }
  expect(found.results[0].collection_id).toBe(collection);
});

it("passage of a knowledge document returns 404 for a position after the end or a malformed one, and once the document is deleted", async () => {
  const client = new Client();
  const { path } = await addGuide(client);
  const statuses = await Promise.all(
    ["4", "-1", "x", "1.5"].map(async (place) => (await client.get(`${path}/passages/${place}`)).status),
  );
  expect(statuses).toEqual([404, 404, 404, 404]);
  expect((await client.get(`${path}/passages/0?neighbors=6`)).status).toBe(400);
  await client.delete(path);
  expect((await client.get(`${path}/passages/0`)).status).toBe(404);
});

it("passage of a knowledge document returns 404 to a colleague as soon as the collection becomes private", async () => {
  const owner = new Client();
  const colleague = new Client({ ...newIdentity("member"), tenant: owner.identity.tenant });
  const { collection, path } = await addGuide(owner);
  expect((await colleague.get(`${path}/passages/0`)).status).toBe(200);
  await owner.patch(`/v1/knowledge/collections/${collection}`, { readers: [] });
  expect((await colleague.get(`${path}/passages/0`)).status).toBe(404);
});
