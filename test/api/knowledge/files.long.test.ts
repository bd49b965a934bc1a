import { expect, it, vi } from "vitest";
import { Client, newIdentity, readResponse } from "#test/support/client.ts";
import { writePdfPages } from "#test/support/knowledge/pdf-objects.ts";
import { createDocx, createPdf, docxParagraph } from "#test/support/knowledge/sample-files.ts";

/** Image of a scanned page. */
const scan = { dictionary: "/Type /XObject /Subtype /Image /Width 1 /Height 1", content: "x" };

const waitOptions = { timeout: 180_000, interval: 100 };

async function createCollection(client: Client): Promise<string> {
  const { body } = await client.post("/v1/knowledge/collections", { name: crypto.randomUUID(), readers: ["tenant"] });
  return `/v1/knowledge/collections/${body.id}`;
}

function toForm(files: Readonly<Record<string, Uint8Array | string>>, fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  for (const [name, content] of Object.entries(files)) form.append("file", new Blob([Buffer.from(content)]), name);
  return form;
}

async function send(client: Client, method: string, path: string, form: FormData) {
  return readResponse(await client.fetch(path, { method, body: form }));
}

/** Waits until the latest version of a document is indexed or has failed. */
const waitForDocument = (client: Client, path: string) =>
  vi.waitFor(async () => {
    const { body } = await client.get(path);
    expect(body.status).not.toBe("indexing");
    return body;
  }, waitOptions);

const search = async (client: Client, q: string) =>
  (await client.get(`/v1/knowledge/search?q=${encodeURIComponent(q)}`)).body.results;

it("files uploaded to a collection in a form become documents that search finds, with one result in the response for each file", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const files = {
    "Harbor.pdf": createPdf(["The harbor opens at dawn", "Ferries cross the strait hourly"]),
    "Guide.docx": createDocx(docxParagraph("Lighthouse", "H1") + docxParagraph("The keeper lives on the island")),
    "prices.csv": "Item;Price\nCrab;12\nLobster;30\n",
    "Photo.png": "\x89PNG",
  };
  const { status, body } = await send(
    client,
    "POST",
    `${collection}/documents`,
    toForm(files, { metadata: '{"area":"sea"}' }),
  );
  expect(status).toBe(207);
  expect(body.results.map(({ file_name }: { file_name: string }) => file_name)).toEqual(Object.keys(files));
  expect(body.results[3]).toMatchObject({
    document: null,
    error: { code: "unsupported", message: expect.any(String) },
  });
  expect(body.results[0].document).toMatchObject({
    title: "Harbor",
    status: "indexing",
    stage: "queued",
    version: 1,
  });
  const [pdf, docx, csv] = await Promise.all(
    [0, 1, 2].map((index) => waitForDocument(client, `${collection}/documents/${body.results[index].document.id}`)),
  );
  expect(pdf).toMatchObject({
    status: "ready",
    stage: null,
    progress: 1,
    page_count: 2,
    failure: null,
    metadata: { area: "sea" },
  });
  expect(docx).toMatchObject({ status: "ready", file_name: "Guide.docx", indexed_version: 1, language: "en" });
  expect(csv).toMatchObject({ status: "ready", media_type: "text/csv" });
  expect((await search(client, "ferries strait"))[0]).toMatchObject({ title: "Harbor" });
  expect((await search(client, "keeper island"))[0]).toMatchObject({ title: "Guide", heading: "Lighthouse" });
  expect((await search(client, "lobster"))[0].snippet).toContain("| Lobster | 30 |");
});

it("files uploaded to a collection in a form fail with a reason when they are scanned, encrypted, corrupt or have a wrong extension", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const files = {
    "scan.pdf": writePdfPages([4], [{ content: "q Q" }, scan], "/XObject << /I 5 0 R >>"),
    "empty.pdf": createPdf(["", ""]),
    "secret.pdf": createPdf(["x"], { isEncrypted: true }),
    "broken.docx": "PK\x03\x04 this is no archive",
    "renamed.pdf": "Only text",
  };
  const { body } = await send(client, "POST", `${collection}/documents`, toForm(files));
  const documents = await Promise.all(
    body.results.map(({ document }: { document: { id: string } }) =>
      waitForDocument(client, `${collection}/documents/${document.id}`),
    ),
  );
  expect(
    documents.map(({ status, failure }: { status: string; failure: { code: string } }) => [status, failure.code]),
  ).toEqual([
    ["failed", "scanned_only"],
    ["failed", "empty"],
    ["failed", "encrypted"],
    ["failed", "corrupt"],
    ["failed", "mislabeled"],
  ]);
  for (const { error, failure } of documents) expect(failure.message).toBe(error);
});

it("files uploaded to a collection in a form are rejected when there are too many, a form field is unknown or the collection is not accessible", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const path = `${collection}/documents`;
  const post = async (caller: Client, form: FormData) => (await send(caller, "POST", path, form)).status;
  expect(await post(client, toForm({}))).toBe(400);
  expect(await post(client, toForm({ "a.txt": "x" }, { color: "red" }))).toBe(400);
  expect(await post(client, toForm({ "a.txt": "x" }, { metadata: "[1]" }))).toBe(400);
  expect(await post(client, toForm(Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`${n}.txt`, "x"]))))).toBe(
    400,
  );
  expect(await post(new Client(newIdentity()), toForm({ "a.txt": "x" }))).toBe(404);
  expect(
    await post(new Client({ ...newIdentity("viewer"), tenant: client.identity.tenant }), toForm({ "a.txt": "x" })),
  ).toBe(403);
  const { body } = await send(client, "POST", path, toForm({ "large.txt": "word ".repeat(840_000) }));
  expect(body.results[0]).toMatchObject({ document: null, error: { code: "too_large" } });
  expect(await post(client, toForm({ "larger.txt": "word ".repeat(1_000_000) }))).toBe(413);
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  const malformed = await client.fetch(path, { method: "POST", headers, body: "no boundary" });
  expect(malformed.status).toBeLessThan(500);
  expect((await client.get(path)).body.documents).toEqual([]);
});

it("new version of a document replaces the previous version, which search finds until the new one is indexed", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const { body } = await client.post(`${collection}/documents`, {
    title: "Tides",
    text: "High water comes at noon.",
  });
  const path = `${collection}/documents/${body.id}`;
  await waitForDocument(client, path);
  const replaced = await send(
    client,
    "PUT",
    path,
    toForm({ "tides.docx": createDocx(docxParagraph("Low water comes at dusk.")) }),
  );
  expect(replaced.status).toBe(200);
  expect(replaced.body).toMatchObject({
    id: body.id,
    title: "Tides",
    version: 2,
    indexed_version: 1,
    status: "indexing",
  });
  expect((await search(client, "water"))[0].document_id).toBe(body.id);
  expect(await waitForDocument(client, path)).toMatchObject({ status: "ready", version: 2, indexed_version: 2 });
  expect((await search(client, "dusk"))[0].snippet).toBe("Low water comes at dusk.");
  await vi.waitFor(async () => expect(await search(client, "noon")).toEqual([]), waitOptions);
  await client.put(path, { title: "Tides", text: "The moon draws the sea." });
  expect(await waitForDocument(client, path)).toMatchObject({ status: "ready", version: 3, file_name: null });
});

it("new version of a document leaves the previous version searchable when the new version cannot be processed", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const { body } = await client.post(`${collection}/documents`, {
    title: "Tides",
    text: "High water comes at noon.",
  });
  const path = `${collection}/documents/${body.id}`;
  await waitForDocument(client, path);
  await send(client, "PUT", path, toForm({ "tides.docx": "PK\x03\x04 broken" }));
  expect(await waitForDocument(client, path)).toMatchObject({ status: "failed", version: 2, indexed_version: 1 });
  expect((await search(client, "noon"))[0].document_id).toBe(body.id);
});

it("new version of a document can be added by an administrator, but not by other members", async () => {
  const owner = new Client(newIdentity("member"));
  const collection = await createCollection(owner);
  const { body } = await owner.post(`${collection}/documents`, { title: "x", text: "x" });
  const put = async (roles: string) => {
    const caller = new Client({ ...newIdentity(roles), tenant: owner.identity.tenant });
    return (await caller.put(`${collection}/documents/${body.id}`, { title: "y", text: "y" })).status;
  };
  expect([await put("member"), await put("viewer"), await put("admin")]).toEqual([403, 403, 200]);
});

it("upload of a document by presigned URL accepts only the announced file and size, and starts the processing of the file", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const file = createPdf(["The archive keeps the maps of the coast"]);
  const { status, body } = await client.post(`${collection}/uploads`, { file_name: "Maps.pdf", size: file.length });
  expect(status).toBe(201);
  expect(body.document).toMatchObject({ title: "Maps", status: "indexing", stage: "queued", size: file.length });
  const { url, method } = body.upload;
  const upload = async (target: string, content: Uint8Array) =>
    (await fetch(target, { method, body: Buffer.from(content) })).status;
  expect(await upload(url.replace("/1?", "/2?"), file)).toBe(403);
  expect(await upload(url, Buffer.concat([file, file]))).toBe(403);
  expect(await upload(url, file)).toBe(200);
  const document = await waitForDocument(client, `${collection}/documents/${body.document.id}`);
  expect(document).toMatchObject({ status: "ready", page_count: 1 });
  expect((await search(client, "maps coast"))[0]).toMatchObject({ title: "Maps", page: 1 });
  // A second upload by the same URL has no effect.
  expect(await upload(url, file)).toBe(200);
  expect(await waitForDocument(client, `${collection}/documents/${body.document.id}`)).toMatchObject({ version: 1 });
});

it("upload of a document by presigned URL adds a new version to a document", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const { body } = await client.post(`${collection}/documents`, { title: "Maps", text: "Old maps." });
  await waitForDocument(client, `${collection}/documents/${body.id}`);
  const file = createPdf(["New maps"]);
  const upload = { file_name: "Maps.pdf", size: file.length, document_id: body.id };
  const started = await client.post(`${collection}/uploads`, upload);
  expect(started.body.document).toMatchObject({ id: body.id, version: 2, indexed_version: 1 });
  await fetch(started.body.upload.url, { method: "PUT", body: Buffer.from(file) });
  expect(await waitForDocument(client, `${collection}/documents/${body.id}`)).toMatchObject({ indexed_version: 2 });
});

it("upload of a document by presigned URL is rejected for unknown formats, files that are too large and other users' collections", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const post = async (caller: Client, body: object) => (await caller.post(`${collection}/uploads`, body)).status;
  expect(await post(client, { file_name: "a.exe", size: 5 })).toBe(415);
  expect(await post(client, { file_name: "a.pdf", size: 52_428_801 })).toBe(400);
  expect(await post(client, { file_name: "a.pdf", size: 0 })).toBe(400);
  expect(await post(new Client(newIdentity()), { file_name: "a.pdf", size: 5 })).toBe(404);
});
