import { expect, it, vi } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { countStatuses } from "#test/support/people.ts";
import { sized } from "#test/support/run-size.ts";

/** Number of documents in the deleted collection. */
const documentCount = sized({ usual: 20, full: 60, soak: 1_000 });
/** Number of concurrent creations with one name. */
const concurrentCreations = sized({ usual: 40, full: 120, soak: 200 });
/** Number of bytes of large texts in a request; in full runs a mebibyte minus the rest of the request. */
const largeLength = sized({ usual: 130_000, full: 1_040_000 });
/** Repeats a text up to `largeLength`. JSON writes a line break as two characters. */
const repeatLarge = (text: string) =>
  text.repeat(Math.floor(largeLength / (Buffer.byteLength(JSON.stringify(text)) - '""'.length)));

const waitOptions = { timeout: sized({ usual: 60_000, full: 150_000 }), interval: 100 };

async function createCollection(client: Client, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body, text } = await client.post("/v1/knowledge/collections", {
    name: crypto.randomUUID(),
    ...fields,
  });
  expect(status, text).toBe(201);
  return body.id;
}

/** Adds a document and waits until indexing succeeded or failed. */
async function addDocument(client: Client, collection: string, fields: Record<string, unknown>) {
  const path = `/v1/knowledge/collections/${collection}/documents`;
  const { status, body, text } = await client.post(path, { title: "Untitled", ...fields });
  expect(status, text).toBe(201);
  return vi.waitFor(async () => {
    const { body: document } = await client.get(`${path}/${body.id}`);
    expect(document.status).not.toBe("indexing");
    return document;
  }, waitOptions);
}

async function search(client: Client, q: string, filters: Record<string, string> = {}) {
  const { status, body, text } = await client.get(`/v1/knowledge/search?${new URLSearchParams({ q, ...filters })}`);
  expect(status, text).toBe(200);
  return body.results;
}

const toTitles = (results: { title: string }[]) => results.map(({ title }) => title);

const newColleague = ({ identity }: Client, roles = "member") =>
  new Client({ ...newIdentity(roles), tenant: identity.tenant });

it("knowledge collection is created with defaults, read, changed and deleted", async () => {
  const client = new Client();
  const { status, headers, body } = await client.post("/v1/knowledge/collections", { name: " Handbook " });
  expect(status).toBe(201);
  expect(headers.get("location")).toBe(`/v1/knowledge/collections/${body.id}`);
  expect(body).toMatchObject({
    name: "Handbook",
    description: "",
    readers: [],
    document_count: 0,
    owner_id: client.identity.user,
  });
  const path = `/v1/knowledge/collections/${body.id}`;
  const updatedResponse = await client.patch(path, { name: "handbook", description: "All of it" });
  expect(updatedResponse.body).toMatchObject({ name: "handbook", description: "All of it", readers: [] });
  expect((await client.get(path)).body).toEqual(updatedResponse.body);
  expect((await client.delete(path)).status).toBe(204);
  expect((await client.get(path)).status).toBe(404);
  expect((await client.get("/v1/knowledge/collections")).body.collections).toEqual([]);
});

it(`knowledge collection is created once by ${concurrentCreations} concurrent requests with the same name`, async () => {
  const client = new Client();
  const statuses = await countStatuses(concurrentCreations, (n) =>
    client.post("/v1/knowledge/collections", { name: n % 2 ? "Same" : "SAME" }),
  );
  expect(statuses).toEqual(
    new Map([
      [201, 1],
      [409, concurrentCreations - 1],
    ]),
  );
  expect((await client.get("/v1/knowledge/collections")).body.collections).toHaveLength(1);
});

it("knowledge collection has a name that is unique among those of its owner, ignoring case, until it is renamed or deleted", async () => {
  const client = new Client();
  const firstId = await createCollection(client, { name: "Same" });
  const other = await createCollection(client, { name: "Other" });
  // Otherwise an error would tell that a hidden collection exists.
  const ofColleague = await newColleague(client).post("/v1/knowledge/collections", { name: "Same" });
  expect(ofColleague.status).toBe(201);
  expect((await client.patch(`/v1/knowledge/collections/${other}`, { name: "same" })).status).toBe(409);
  await client.delete(`/v1/knowledge/collections/${firstId}`);
  expect((await client.patch(`/v1/knowledge/collections/${other}`, { name: "same" })).status).toBe(200);
  expect((await client.post("/v1/knowledge/collections", { name: "Other" })).status).toBe(201);
  expect((await new Client().post("/v1/knowledge/collections", { name: "Same" })).status).toBe(201);
});

it("knowledge collection is listed newest first in pages to users who can read it", async () => {
  const client = new Client();
  const colleague = newColleague(client);
  const own: string[] = [];
  for (const readers of [[], ["tenant"], [], ["tenant"]]) {
    own.push(await createCollection(client, { readers }));
  }
  const otherCollection = await createCollection(colleague);
  const listIds = async (caller: Client) => {
    const ids: string[] = [];
    let cursor = "";
    do {
      const { body } = await caller.get(`/v1/knowledge/collections?limit=2${cursor && `&cursor=${cursor}`}`);
      ids.push(...body.collections.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor ?? "";
    } while (cursor);
    return ids;
  };
  expect(await listIds(client)).toEqual(own.toReversed());
  expect(await listIds(colleague)).toEqual([otherCollection, own[3], own[1]]);
  expect(await listIds(new Client())).toEqual([]);
});

it("knowledge collection requires the permission knowledge.create and can be changed by its owner or an administrator", async () => {
  const owner = new Client(newIdentity("member"));
  const viewer = newColleague(owner, "viewer");
  const shared = await createCollection(owner, { readers: ["tenant"] });
  const path = `/v1/knowledge/collections/${shared}`;
  const text = { title: "x", text: "x" };
  const rejectedResponses = await Promise.all([
    viewer.post("/v1/knowledge/collections", { name: "x" }),
    viewer.post(`${path}/documents`, text),
    viewer.patch(path, { name: "x" }),
    viewer.delete(path),
    newColleague(owner).patch(path, { name: "x" }),
  ]);
  expect(rejectedResponses.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  expect((await newColleague(owner).post(`${path}/documents`, text)).status).toBe(201);
  expect((await newColleague(owner, "admin").patch(path, { description: "x" })).status).toBe(200);
});

it("knowledge document is found by search with its best passage until it is deleted", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const filler = "Nothing of interest stands here, for page after page. ".repeat(60);
  const text = `# Handbook\n\n${filler}\n\n## Leave\n\nEveryone has thirty days of annual leave.\n\n${filler}`;
  const document = await addDocument(client, collection, {
    title: "Working here",
    text,
    media_type: "text/markdown",
    uri: "https://example.com/handbook",
    metadata: { lang: "en" },
  });
  expect(document).toMatchObject({
    collection_id: collection,
    status: "ready",
    error: null,
    size: text.length,
    source: null,
    metadata: { lang: "en" },
  });
  expect(document.chunk_count).toBeGreaterThan(2);
  const [best, ...remaining] = await search(client, "How many days of leave do I have?");
  expect(best).toMatchObject({
    document_id: document.id,
    collection_id: collection,
    title: "Working here",
    uri: "https://example.com/handbook",
    metadata: { lang: "en" },
  });
  expect(best.chunk_id).toMatch(new RegExp(`^${document.id}\\.\\d+$`));
  expect(best.snippet).toContain("thirty days of annual leave");
  expect(text).toContain(best.snippet);
  expect(remaining.every(({ score }: { score: number }) => score <= best.score)).toBe(true);
  const path = `/v1/knowledge/collections/${collection}`;
  expect((await client.get(path)).body.document_count).toBe(1);
  expect((await client.get(`${path}/documents`)).body.documents).toEqual([document]);
  expect((await client.delete(`${path}/documents/${document.id}`)).status).toBe(204);
  expect(await search(client, "annual leave")).toEqual([]);
  expect((await client.get(`${path}/documents/${document.id}`)).status).toBe(404);
  expect((await client.delete(`${path}/documents/${document.id}`)).status).toBe(404);
  expect((await client.get(path)).body.document_count).toBe(0);
  expect((await client.get(`${path}/documents`)).body.documents).toEqual([]);
});

it("knowledge document ranks higher when its title matches, and can be filtered by collection and metadata", async () => {
  const client = new Client();
  const [one, two] = [await createCollection(client), await createCollection(client)];
  const text = "The gearbox is described in this text, among other things, as is the engine.";
  await addDocument(client, one, { title: "Engines", text, metadata: { year: "2024", part: "A" } });
  await addDocument(client, one, { title: "Gearbox", text, metadata: { year: "2025", part: "A" } });
  await addDocument(client, two, { title: "Wheels", text, metadata: { year: "2025" } });
  expect(toTitles(await search(client, "gearboxes"))[0]).toBe("Gearbox");
  expect(toTitles(await search(client, "engine"))[0]).toBe("Engines");
  expect(toTitles(await search(client, "gearbox", { collection_id: two }))).toEqual(["Wheels"]);
  expect(toTitles(await search(client, "gearbox", { "metadata.year": "2025" }))).toEqual(["Gearbox", "Wheels"]);
  expect(toTitles(await search(client, "gearbox", { "metadata.year": "2025", "metadata.part": "A" }))).toEqual([
    "Gearbox",
  ]);
  expect(await search(client, "gearbox", { "metadata.year": "1999" })).toEqual([]);
  expect(await search(client, "gearbox", { limit: "1" })).toHaveLength(1);
  expect((await client.get("/v1/knowledge/search?q=%20")).status).toBe(400);
  expect((await client.get("/v1/knowledge/search")).status).toBe(400);
  expect((await client.get("/v1/knowledge/search?q=a&collection_id=unknown")).status).toBe(404);
});

it("knowledge document is found by other inflections of its words in each language", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const texts = {
    English: "The invoices of the suppliers are kept in the archive for ten years.",
    German: "Die Rechnungen der Lieferanten werden zehn Jahre lang im Archiv aufbewahrt, und zwar von der Buchhaltung.",
    French: "Les factures des fournisseurs sont conservées dans les archives de l'entreprise pendant dix ans.",
    Spanish: "Las facturas de los proveedores se guardan en el archivo durante diez años, según la administración.",
    Japanese: "請求書は十年間アーカイブに保管されます。",
    Chinese: "发票在档案室保存十年。",
    Arabic: "تحفظ فواتير الموردين في الأرشيف لمدة عشر سنوات.",
    Russian: "Счета поставщиков хранятся в архиве десять лет.",
  };
  await Promise.all(Object.entries(texts).map(([title, text]) => addDocument(client, collection, { title, text })));
  const questions = {
    English: "supplier invoice",
    German: "Wo wird eine Rechnung vom Lieferant aufbewahrt?",
    French: "où est la facture du fournisseur de l’entreprise ?",
    Spanish: "administracion de la factura del proveedor",
    Japanese: "請求書の保管",
    Chinese: "发票保存多久",
    Arabic: "فواتير المورد",
    Russian: "счёт поставщика в архив",
  };
  for (const [title, question] of Object.entries(questions)) {
    expect((await search(client, question))[0]?.title, question).toBe(title);
  }
  const [german] = await search(client, "Lieferant");
  expect(german.snippet).toContain("Lieferanten");
});

it("knowledge document is indexed by its visible text when it is HTML", async () => {
  const client = new Client();
  const html = `<html><head><title>head</title><style>.styled{}</style><script>scripted()</script></head><body>
      <h1>Caf&eacute; &amp; bar</h1><p>Opens at <b>se</b>ven.</p><p hidden>concealed</p>
      <div style="display: none">invisible</div><noscript>without</noscript><!-- commented -->
      <table><tr><td>Tea</td><td>3&nbsp;&euro;</td></tr></table></body></html>`;
  await addDocument(client, await createCollection(client), { title: "Page", text: html, media_type: "text/html" });
  const [hit] = await search(client, "cafe seven tea");
  expect(hit.snippet).toBe("Café & bar\n\nOpens at seven.\n\nTea | 3 €");
  for (const word of ["scripted", "styled", "concealed", "invisible", "without", "commented", "head"]) {
    expect(await search(client, word), word).toEqual([]);
  }
});

it.each([
  ["one repeated word", repeatLarge("word "), "word"],
  ["one long word", repeatLarge("w"), "w".repeat(1_900)],
  ["line breaks", `first${repeatLarge("\n")}last`, "last"],
  ["right-to-left text", "שלום עולם, זה מסמך בעברית. مرحبا بالعالم", "عالم مرحبا مسمك بالعالم"],
  ["emoji", "👍🏽 👩‍👩‍👧‍👦 🎉", "🎉"],
  ["only emoji", repeatLarge("👩‍👩‍👧‍👦"), "👩‍👩‍👧‍👦"],
  ["stacked combining marks", `z${"\u0301\u0316".repeat(400)}algo`, "zalgo"],
  ["direction marks", "in\u200bvis\u200dible \u202eword\u202c", "word"],
  ["Chinese", "我们的办公室在北京市中心，周末不开门。", "北京"],
  ["Japanese", "東京タワーは高さ三百三十三メートルです。", "東京タワー"],
  ["Korean", "서울의 사무실은 월요일에 문을 엽니다.", "사무실"],
  ["Thai", "สำนักงานเปิดวันจันทร์ถึงวันศุกร์", "สำนักงาน"],
  ["accents", "Ein Übergang nach Ångström, naïve café", "ubergang angstrom naive cafe"],
  ["only punctuation", "?!… — ()", null],
])("knowledge document is indexed and found when it consists of %s", async (title, text, q) => {
  const client = new Client();
  const document = await addDocument(client, await createCollection(client), { title: "x", text });
  expect(document).toMatchObject({ status: "ready", error: null });
  if (q !== null) expect((await search(client, q))[0]?.document_id, title).toBe(document.id);
});

it.each([
  ["a table with many cells", `|found|b|\n|-|-|\n${repeatLarge("|")}`, "text/markdown"],
  ["a table with many rows", `|found|b|\n|-|-|\n${repeatLarge("|1|2|\n")}`, "text/markdown"],
  [
    "nested lists",
    `# found\n\n${Array.from({ length: 400 }, (_, depth) => `${" ".repeat(depth)}- a`).join("\n")}`,
    "text/markdown",
  ],
  ["list items", `found\n\n${repeatLarge("- a\n")}`, "text/markdown"],
  ["headings", `# found\n\n${repeatLarge("# a\n\n")}`, "text/markdown"],
  ["nested quotes", `found\n\n${repeatLarge(">")}`, "text/markdown"],
  ["brackets", `found\n\n${repeatLarge("![](")}`, "text/markdown"],
  ["nested elements", `${repeatLarge("<div>")}found`, "text/html"],
  ["nested tables", `${repeatLarge("<table><tr><td>")}found`, "text/html"],
  ["entities", `found${repeatLarge("&amp;")}`, "text/html"],
  ["an unclosed attribute", `<p>found</p><a href="${repeatLarge("a")}`, "text/html"],
])(
  "knowledge document is indexed within the time limit when it consists of almost 1 MiB of %s",
  async (_, text, media_type) => {
    const client = new Client();
    const document = await addDocument(client, await createCollection(client), { title: "x", text, media_type });
    expect(document).toMatchObject({ status: "ready", error: null });
    expect((await search(client, "found"))[0]?.document_id).toBe(document.id);
  },
);

it("knowledge document does not delay other tenants' documents when it is costly to parse", async () => {
  const [hostile, other] = [new Client(), new Client()];
  const collection = await createCollection(hostile);
  const text = repeatLarge("- a\n");
  const fields = { title: "x", text, media_type: "text/markdown" };
  const pending = [1, 2, 3].map(() => addDocument(hostile, collection, fields));
  const document = await addDocument(other, await createCollection(other), { title: "x", text: "Quick" });
  expect(document.status).toBe("ready");
  expect((await Promise.all(pending)).map(({ status }) => status)).toEqual(["ready", "ready", "ready"]);
});

it.each([
  ["text/plain", ""],
  ["text/plain", " \n\t "],
  ["text/plain", "PNG\u0000\u0001\u0002"],
  ["text/plain", "half a character \ud83d"],
  ["text/html", "<p>\ude00</p>"],
  ["text/markdown", "%PDF-1.7\u0001\u0000"],
  ["application/pdf", "x"],
])("knowledge document is rejected with an error for the field text: %s %j", async (media_type, text) => {
  const client = new Client();
  const path = `/v1/knowledge/collections/${await createCollection(client)}/documents`;
  const { status, body } = await client.post(path, { title: "x", text, media_type });
  expect([status, body.code, body.errors.length]).toEqual([400, "validation_failed", 1]);
});

it("knowledge document is rejected for unpaired surrogates in its title or metadata", async () => {
  const client = new Client();
  const path = `/v1/knowledge/collections/${await createCollection(client)}/documents`;
  for (const fields of [{ title: "half \ud83d" }, { title: "x", metadata: { a: "\udc00" } }]) {
    const { status, body } = await client.post(path, { text: "x", ...fields });
    expect([status, body.code], JSON.stringify(fields)).toEqual([400, "validation_failed"]);
  }
});

it("knowledge document fails with an error when it has no visible text", async () => {
  const client = new Client();
  const text = "<script>all()</script><p hidden>of it</p>";
  const fields = { title: "x", text, media_type: "text/html" };
  const document = await addDocument(client, await createCollection(client), fields);
  expect(document).toMatchObject({
    status: "failed",
    error: expect.stringContaining("no visible text"),
    chunk_count: 0,
  });
});

it("knowledge document is rejected when it is larger than 1 MiB", async () => {
  const client = new Client();
  const path = `/v1/knowledge/collections/${await createCollection(client)}/documents`;
  expect((await client.post(path, { title: "x", text: "x ".repeat(530_000) })).status).toBe(413);
});

it("knowledge document can be promoted from a message and records its source", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const conversation_id = await client.createConversation();
  await client.chat({ conversation_id, content: "**Remember** the quokka.\n\nIt smiles.", tier: "QUICK" });
  const { messages } = (await client.get(`/v1/conversations/${conversation_id}/messages`)).body;
  const { message_id } = messages[0];
  const path = `/v1/knowledge/collections/${collection}/promote`;
  const { status, headers, body } = await client.post(path, { conversation_id, message_id });
  expect(status).toBe(201);
  expect(headers.get("location")).toBe(`/v1/knowledge/collections/${collection}/documents/${body.id}`);
  expect(body).toMatchObject({ title: "Remember the quokka.", source: { conversation_id, message_id } });
  const titled = await client.post(path, { conversation_id, message_id, title: "Quokkas" });
  expect(titled.body.title).toBe("Quokkas");
  await vi.waitFor(async () => expect(await search(client, "quokka smile")).toHaveLength(2), waitOptions);
  const stranger = newColleague(client);
  const foreignResponse = await stranger.post(`/v1/knowledge/collections/${await createCollection(stranger)}/promote`, {
    conversation_id,
    message_id,
  });
  expect(foreignResponse.status).toBe(404);
  expect((await client.post(path, { conversation_id, message_id: conversation_id })).status).toBe(404);
});

it("knowledge search returns scores, matched terms, highlights and relevance with its results", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const text = "The lamp of the lighthouse was lit in 1874.";
  await addDocument(client, collection, { title: "History", text });
  const [result] = await search(client, "When was the lighthouse lamp painted?");
  expect(result).toMatchObject({ language: "en", matched_terms: ["lighthouse", "lamp"] });
  expect(result.relevance).toBeGreaterThan(0.5);
  expect(result.relevance).toBeLessThan(1);
  expect(result.scores).toEqual({ words: result.score, meaning: null, fused: result.score, rerank: null });
  const marked = result.highlights.map(({ start, end }: { start: number; end: number }) =>
    result.snippet.slice(start, end),
  );
  expect(marked).toEqual(["lamp", "lighthouse"]);
  expect(await search(client, "When was the lighthouse lamp painted?", { min_relevance: "0.99" })).toEqual([]);
});

it("knowledge search can be restricted to documents that were added in a period", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const { updated_at } = await addDocument(client, collection, {
    title: "Log",
    text: "The water at the pier is calm.",
  });
  const later = new Date(Date.parse(updated_at) + 1_000).toISOString();
  expect(await search(client, "pier", { updated_after: updated_at })).toHaveLength(1);
  expect(await search(client, "pier", { updated_before: later })).toHaveLength(1);
  expect(await search(client, "pier", { updated_after: later })).toEqual([]);
  expect(await search(client, "pier", { updated_before: updated_at })).toEqual([]);
  const { status } = await client.get("/v1/knowledge/search?q=pier&updated_after=yesterday");
  expect(status).toBe(400);
});

it("collection that the caller may not read is not found by search and does not affect scores or counts", async () => {
  const [one, two] = [new Client(), new Client()];
  const colleague = newColleague(one);
  const text = "The submarine dives into the deep blue sea.";
  const collection = await createCollection(one);
  await addDocument(one, collection, { title: "Submarine", text });
  const expectedResults = await search(one, "blue submarine");
  for (const other of [two, colleague]) {
    expect(await search(other, "blue submarine")).toEqual([]);
    const otherCollection = await createCollection(other);
    for (const title of ["Submarine", "Blue sea", "Other"]) await addDocument(other, otherCollection, { title, text });
    expect(await search(other, "blue submarine")).toHaveLength(3);
    expect((await other.get(`/v1/knowledge/collections/${collection}`)).status).toBe(404);
    expect((await other.get(`/v1/knowledge/collections/${collection}/documents`)).status).toBe(404);
    expect((await other.get(`/v1/knowledge/search?q=blue&collection_id=${collection}`)).status).toBe(404);
  }
  expect(await search(one, "blue submarine")).toEqual(expectedResults);
  expect((await one.get("/v1/knowledge/collections")).body.collections).toHaveLength(1);
});

it("collection of another user is no longer found by search as soon as it becomes private", async () => {
  const owner = new Client();
  const colleague = newColleague(owner);
  const collection = await createCollection(owner);
  await addDocument(owner, collection, { title: "Recipe", text: "Stir the risotto slowly." });
  const setReaders = (...readers: string[]) => owner.patch(`/v1/knowledge/collections/${collection}`, { readers });
  expect(await search(colleague, "risotto")).toEqual([]);
  expect((await setReaders("tenant")).status).toBe(200);
  await vi.waitFor(async () => expect(await search(colleague, "risotto")).toHaveLength(1), waitOptions);
  expect(await search(owner, "risotto")).toHaveLength(1);
  expect((await setReaders()).status).toBe(200);
  expect(await search(colleague, "risotto")).toEqual([]);
  await vi.waitFor(async () => expect(await search(owner, "risotto")).toHaveLength(1), waitOptions);
  expect(await search(colleague, "risotto")).toEqual([]);
});

it("collection of another user is no longer listed once it becomes private, even during concurrent changes", async () => {
  const owner = new Client();
  const colleague = newColleague(owner);
  for (let round = 0; round < 8; round++) {
    const collection = await createCollection(owner, { readers: ["tenant"] });
    const changes = [{ readers: [] as string[] }, ...["a", "b", "c"].map((description) => ({ description }))];
    await Promise.all(changes.map((change) => owner.patch(`/v1/knowledge/collections/${collection}`, change)));
    expect((await colleague.get("/v1/knowledge/collections")).body.collections).toEqual([]);
  }
});

it("collection deletion removes its documents from the index", {
  timeout: sized({ usual: 60_000, full: 300_000 }),
}, async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const remainingCollection = await createCollection(client);
  await addDocument(client, remainingCollection, { title: "Remaining", text: "A lonely zebra." });
  const [expectedResult] = await search(client, "zebra");
  const text = (index: number) => `Zebra number ${index}. `.repeat(300);
  const path = `/v1/knowledge/collections/${collection}`;
  for (let index = 0; index < documentCount; index += 10) {
    const texts = Array.from({ length: 10 }, (_, offset) => ({ title: "Zebras", text: text(index + offset) }));
    await Promise.all(texts.map((fields) => client.post(`${path}/documents`, fields)));
  }
  await vi.waitFor(async () => {
    const { body } = await client.get(`${path}/documents?limit=100`);
    expect(body.documents.every(({ status }: { status: string }) => status === "ready")).toBe(true);
  }, waitOptions);
  expect((await client.delete(path)).status).toBe(204);
  expect(toTitles(await search(client, "zebra"))).not.toContain("Zebras");
  // Equal scores prove that the index statistics no longer include the deleted documents.
  await vi.waitFor(async () => expect(await search(client, "zebra")).toEqual([expectedResult]), waitOptions);
});
