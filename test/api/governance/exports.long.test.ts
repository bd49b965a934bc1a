import { createHmac, hash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { fromBufferPromise } from "yauzl";
import type { Export, ExportedConversation } from "#shared/api/governance/exports.ts";
import { attach, createPng } from "#test/support/chat/attachments.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { decideApproval, waitForResult } from "#test/support/governance/approvals.ts";
import { waitForAuditEvents } from "#test/support/governance/audit.ts";
import { getPolicyRules, setPolicy } from "#test/support/governance/policy.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";
import { sized } from "#test/support/run-size.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";

/** Number of messages in the long conversation. */
const longConversationSize = sized({ usual: 260, full: 500, soak: 2_000 });

interface Message {
  readonly role: string;
  readonly content: { type: string; text?: string; index?: number; quote?: string }[];
  readonly created_at: string;
}

/** Returns the fields that an export must preserve: role, content with citations, and time. */
const toExportedFields = (messages: readonly Message[]) =>
  messages.map(({ role, content, created_at }) => ({ role, content, created_at }));

/** Creates a conversation whose answers cite a document. */
async function createCitedConversation(client: Client): Promise<string> {
  const collection = (await client.post("/v1/knowledge/collections", { name: "Rules" })).body.id;
  const text = "The cafeteria opens at seven and closes at three. Guests pay by card.";
  await client.post(`/v1/knowledge/collections/${collection}/documents`, { title: "Cafeteria", text });
  await vi.waitFor(
    async () => {
      const { body } = await client.get(`/v1/knowledge/collections/${collection}/documents`);
      expect(body.documents[0].status).toBe("ready");
    },
    { timeout: 180_000, interval: 50 },
  );
  const id = await client.createConversation("When to eat");
  for (const content of ["When does the cafeteria open?", "<!-- message --> ## not a heading\n\n```js\nlet a;\n```"]) {
    await client.chat({ conversation_id: id, content, tier: "THINKING" });
  }
  return id;
}

async function listAllMessages(client: Client, id: string): Promise<Message[]> {
  const messages: Message[] = [];
  for (let cursor = ""; ; ) {
    const { body } = await client.get(`/v1/conversations/${id}/messages?limit=100${cursor}`);
    messages.push(...body.messages);
    if (body.next_cursor === null) return messages;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

const exportConversation = (client: Client, id: string, format: string) =>
  client.post(`/v1/conversations/${id}/export`, { format });

/** Waits until an export is ready. */
const waitForExport = (client: Client, location: string): Promise<Export> =>
  vi.waitFor(
    async () => {
      const { body } = await client.get(location);
      expect(body.status).toBe("ready");
      return body;
    },
    { timeout: 180_000, interval: 50 },
  );

async function download(client: Client, { download_url }: Export) {
  const response = await fetch(client.baseUrl + download_url);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Downloads an archive of one part as a ZIP archive. */
async function downloadZip(client: Client, [url, ...others]: readonly string[]) {
  expect(others).toEqual([]);
  const response = await fetch(client.baseUrl + url);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/zip"]);
  const zip = await fromBufferPromise(Buffer.from(await response.arrayBuffer()), { lazyEntries: true });
  const contents: Record<string, Buffer> = {};
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    contents[entry.fileName] = Buffer.concat(chunks);
  }
  return { headers: response.headers, contents };
}

/** Fills a conversation with alerts of 8 KB, the cheapest kind of message. */
async function fillWithAlerts(client: Client, id: string): Promise<void> {
  const channel = `c-${randomUUID()}`;
  const { secret } = (await client.post("/v1/webhooks/register", { channel_id: channel, conversation_id: id })).body;
  for (let n = 0; n < longConversationSize; n++) {
    const body = JSON.stringify({ severity: "low", description: `Alert ${n}: ${"größer ".repeat(1_000)}` });
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const headers = { "content-type": "application/json", "x-webhook-signature": signature };
    const { status } = await client.fetch(`/v1/webhooks/${channel}`, { method: "POST", headers, body });
    expect(status).toBe(200);
  }
}

/** Parses a JSON export into messages. */
function parseJsonExport(text: string): Message[] {
  const { messages } = JSON.parse(text) as ExportedConversation;
  const restored: Message[] = [];
  for (const { role, content, created_at } of messages) {
    restored.push({ role, content, created_at });
  }
  return restored;
}

/**
 * Parses a Markdown export into messages. The comment of each message states the byte length of its text, and footnotes
 * are its citations.
 */
function parseMarkdownExport(text: string) {
  const restored: { role: string; created_at: string; text: string; citations: string[] }[] = [];
  let remaining = Buffer.from(text);
  for (let at = remaining.indexOf("<!-- message {"); at >= 0; at = remaining.indexOf("<!-- message {")) {
    const metadata = JSON.parse(remaining.toString("utf8", at + 13, remaining.indexOf(" -->", at)));
    const start = remaining.indexOf("\n\n", remaining.indexOf("\n\n", at) + 2) + 2;
    const [content, after] = [
      remaining.toString("utf8", start, start + metadata.bytes),
      remaining.subarray(start + metadata.bytes),
    ];
    restored.push({
      ...metadata,
      text: content,
      citations: after.toString().trimStart().split("\n").slice(0, metadata.citations),
    });
    remaining = after;
  }
  return restored;
}

it("conversation export preserves text, order, citations and times as JSON", async () => {
  const client = new Client();
  const id = await createCitedConversation(client);
  const messages = await listAllMessages(client, id);
  const { status, headers, text, body } = await exportConversation(client, id, "json");
  expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
    200,
    "application/json",
    "no-store",
  ]);
  expect(parseJsonExport(text)).toEqual(toExportedFields(messages));
  expect(messages.flatMap(({ content }) => content).some(({ type }) => type === "citation")).toBe(true);
  expect(body).toMatchObject({
    format: "switchboard.conversation",
    version: 1,
    conversation: { id, title: "When to eat" },
  });
  expect(text).not.toContain(client.identity.tenant);
});

it("conversation export contains all messages and citations as Markdown that a program can parse", async () => {
  const client = new Client();
  const id = await createCitedConversation(client);
  const messages = await listAllMessages(client, id);
  const { status, headers, text } = await exportConversation(client, id, "markdown");
  expect([status, headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
  expect(text.startsWith("# When to eat\n")).toBe(true);
  const restored = parseMarkdownExport(text);
  expect(restored.map(({ role, created_at }) => [role, created_at])).toEqual(
    messages.map(({ role, created_at }) => [role, created_at]),
  );
  for (const [index, { content }] of messages.entries()) {
    const citations = content.filter(({ type }) => type === "citation");
    for (const { text: part } of content.filter(({ type }) => type === "text")) {
      expect(restored[index]?.text).toContain(part);
    }
    expect(restored[index]?.citations.length).toBe(citations.length);
    for (const [n, { index: number, quote }] of citations.entries()) {
      expect(restored[index]?.citations[n]).toContain(`[^${number}]: Cafeteria “${quote}`);
    }
  }
});

it("conversation export is created once per Idempotency-Key and returned unchanged to a retry", async () => {
  const client = new Client();
  const id = await createCitedConversation(client);
  const exportWithKey = (format: string) =>
    client.post(`/v1/conversations/${id}/export`, { format }, { "idempotency-key": "export" });
  const first = await exportWithKey("markdown");
  await client.chat({ conversation_id: id, content: "A later message", tier: "QUICK" });
  const secondResponse = await exportWithKey("markdown");
  expect([secondResponse.status, secondResponse.text]).toEqual([200, first.text]);
  expect(secondResponse.headers.get("content-type")).toBe(first.headers.get("content-type"));
  expect([first, secondResponse].map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
  expect((await exportWithKey("json")).body.code).toBe("idempotency_key_reused");
  expect((await client.get("/v1/exports")).body.exports).toHaveLength(1);
  await client.delete(`/v1/conversations/${id}`);
  expect((await exportWithKey("markdown")).status).toBe(404);
});

it("conversation export is available to readers of the conversation in the formats that the policy allows", async () => {
  const owner = new Client();
  const id = await owner.createConversation();
  const reader = await createColleague(owner);
  expect((await exportConversation(reader, id, "json")).status).toBe(404);
  await shareConversation(owner, id, reader, "READ");
  expect((await exportConversation(reader, id, "json")).status).toBe(200);
  const [auditEvent] = await waitForAuditEvents(owner, (await reader.get("/v1/exports")).body.exports[0].id, [
    "export.delivered",
  ]);
  expect(auditEvent?.actor).toEqual({ type: "user", id: reader.identity.user });
  expect(auditEvent?.details).toMatchObject({ conversation_id: id, format: "json" });
  await setPolicy(owner, { export: { allowed: true, formats: ["markdown"] } });
  expect((await exportConversation(owner, id, "json")).body).toMatchObject({ status: 403, code: "forbidden" });
  expect((await exportConversation(owner, id, "markdown")).status).toBe(200);
  await setPolicy(owner, { export: { allowed: false, formats: ["json", "markdown"] } });
  for (const format of ["json", "markdown"]) expect((await exportConversation(owner, id, format)).status).toBe(403);
  expect((await owner.request("POST", "/v1/exports")).status).toBe(403);
  expect((await exportConversation(owner, id, "pdf")).status).toBe(400);
});

it("conversation export waits for approval when the policy requires it", async () => {
  const admin = new Client();
  const requester = await createColleague(admin);
  const id = await requester.createConversation("To be approved");
  const { approvals } = await getPolicyRules(admin);
  await setPolicy(admin, { approvals: { ...approvals, export: "always" } });
  const pending = await exportConversation(requester, id, "markdown");
  const { approval } = pending.body;
  expect([pending.status, pending.headers.get("location")]).toEqual([202, `/v1/approvals/${approval.id}`]);
  await decideApproval(admin, approval.id, "approve");
  const { result } = await waitForResult(requester, approval.id);
  const conversationExport = await waitForExport(requester, `/v1/exports/${result.export_id}`);
  expect((await download(requester, conversationExport)).text).toMatch(/^# To be approved\n/);
  const archiveRequest = await requester.request("POST", "/v1/exports");
  expect([archiveRequest.status, archiveRequest.body.approval.action.operation]).toEqual([202, "createExport"]);
  const laterRequest = await exportConversation(requester, id, "json");
  await setPolicy(admin, { export: { allowed: false, formats: ["json", "markdown"] } });
  for (const { body } of [archiveRequest, laterRequest]) {
    await decideApproval(admin, body.approval.id, "approve");
    const failedApproval = await waitForResult(requester, body.approval.id);
    expect(failedApproval.result).toMatchObject({ status: "failed", code: "forbidden" });
  }
  // Deleting the conversation also withdraws its export.
  expect((await download(requester, conversationExport)).status).toBe(200);
  await requester.delete(`/v1/conversations/${id}`);
  expect((await download(requester, conversationExport)).status).toBe(404);
});

let service: Switchboard;
beforeAll(async () => {
  service = await startSwitchboard({ env: { RATE_LIMIT_CHANNEL: "1000000", MODEL_CAPABILITIES: "demo=image" } });
});
afterAll(() => service?.stop());

it("archive of a user's data contains all data of the caller and of no other user, and is downloaded by a signed link", async () => {
  const owner = new Client(newIdentity(), service.baseUrl);
  const other = await createColleague(owner, "admin");
  await owner.get("/v1/me");
  const folder = (await owner.post("/v1/folders", { name: "Mine" })).body.id;
  const first = await createCitedConversation(owner);
  await owner.patch(`/v1/conversations/${first}`, { folder_id: folder });
  const image = createPng(40, 30);
  const files = [
    await attach(owner, first, "One.txt", "First file"),
    await attach(owner, first, "Two.md", "# Second"),
    await attach(owner, first, "Three.png", image),
    await attach(owner, first, "Deleted.txt", "Deleted file"),
  ];
  await owner.chat({
    conversation_id: first,
    content: "Files",
    tier: "QUICK",
    attachments: files.map(({ id }) => id),
  });
  await attach(owner, first, "Unsent.txt", "Unsent file");
  const long = await owner.createConversation("Long");
  await fillWithAlerts(owner, long);
  await owner.post("/v1/notes", { title: "A note", body: "of mine" });
  await owner.post("/v1/memories", { text: "Likes tea", scope: "user", category: "preference" });
  await owner.post("/v1/personas", { name: "Private one", instructions: "Be kind.", visibility: "private" });
  const shared = await owner.post("/v1/personas", { name: "Shared one", instructions: "Be kind.", visibility: "org" });
  for (let n = 2; n <= 12; n++) {
    await owner.patch(`/v1/personas/${shared.body.id}`, { instructions: `Be kind ${n}.`, publish: n % 2 === 0 });
  }
  await owner.post("/v1/templates", { name: "A template", body: "Hello {{name}}" });
  await owner.post("/v1/approvals", { type: "tool_execution", action: { operation: "x" } });
  const sharedId = await other.createConversation("Theirs");
  await shareConversation(other, sharedId, owner, "WRITE");
  await other.post("/v1/personas", { name: "Their shared one", instructions: "Be kind.", visibility: "org" });
  await other.post("/v1/notes", { title: "Their note", body: "not yours" });

  const acceptedResponse = await owner.request("POST", "/v1/exports");
  expect([acceptedResponse.status, acceptedResponse.body.export]).toEqual([
    202,
    expect.objectContaining({ kind: "archive", download_url: null }),
  ]);
  const location = acceptedResponse.headers.get("location") ?? "";
  const done = await waitForExport(owner, location);
  const { status, headers, text } = await download(owner, done);
  expect([status, headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
  expect(headers.get("content-disposition")).toMatch(/^attachment; filename="archive-[\d-]+\.ndjson"$/);
  expect(Buffer.byteLength(text)).toBe(done.size);
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const countLines = (kind: string) => lines.filter((line) => line.kind === kind).length;
  expect(lines[0]).toMatchObject({ kind: "archive", data: { user_id: owner.identity.user } });
  expect(lines.filter(({ kind }) => kind === "attachment").map(({ data }) => data)).toMatchObject([
    { id: files[0]?.id, conversation_id: first, file_name: "One.txt", text: "First file" },
    { id: files[1]?.id, conversation_id: first, file_name: "Two.md", text: "# Second" },
    { id: files[2]?.id, conversation_id: first, file_name: "Three.png", width: 40 },
    { id: files[3]?.id, conversation_id: first, file_name: "Deleted.txt" },
  ]);
  expect(lines.flatMap(({ data }) => data.attachments ?? [])).toMatchObject([
    { id: files[0]?.id },
    { id: files[1]?.id },
    { id: files[2]?.id },
    { id: files[3]?.id },
  ]);
  await owner.delete(`/v1/conversations/${first}/attachments/${files[3]?.id}`);
  const zip = await downloadZip(owner, await (await owner.get(location)).body.zip_urls);
  expect(zip.headers.get("content-disposition")).toMatch(/^attachment; filename="archive-[\d-]+\.zip"$/);
  expect(zip.contents["archive.ndjson"]?.toString()).toBe(text);
  const manifest = JSON.parse(String(zip.contents["manifest.json"]));
  expect(manifest).toMatchObject({ part: 1, parts: 1, left_out: [{ id: files[3]?.id, reason: "deleted" }] });
  expect(manifest.files).toMatchObject([
    { file_name: "One.txt", media_type: "text/plain" },
    { file_name: "Two.md" },
    { file_name: "Three.png", media_type: "image/png" },
  ]);
  const question = lines.find(({ data }) => data.attachments)?.data.message_id;
  for (const { path, size, sha256, message_id } of manifest.files) {
    const content = zip.contents[path] ?? Buffer.alloc(0);
    expect([content.length, hash("sha256", content), question]).toEqual([size, sha256, message_id]);
  }
  expect(zip.contents[manifest.files[0].path]?.toString()).toBe("First file");
  expect(zip.contents[manifest.files[2].path]?.equals(image)).toBe(true);
  expect(Object.keys(zip.contents)).toHaveLength(5);
  const kinds = [
    "folder",
    "conversation",
    "note",
    "memory",
    "persona",
    "template",
    "collection",
    "document",
    "approval",
  ];
  expect(kinds.map((kind) => [kind, countLines(kind)])).toEqual([
    ["folder", 1],
    ["conversation", 2],
    ["note", 1],
    ["memory", 1],
    ["persona", 2],
    ["template", 1],
    ["collection", 1],
    ["document", 1],
    ["approval", 1],
  ]);
  const versions = lines.filter(({ kind, data }) => kind === "persona_version" && data.persona_id === shared.body.id);
  expect(versions.map(({ data }) => [data.version, data.instructions])).toEqual(
    Array.from({ length: 12 }, (_, n) => [12 - n, n === 11 ? "Be kind." : `Be kind ${12 - n}.`]),
  );
  for (const id of [first, long]) {
    const messages = lines.filter(({ kind, data }) => kind === "message" && data.conversation_id === id);
    expect(toExportedFields(messages.map(({ data }) => data))).toEqual(
      toExportedFields(await listAllMessages(owner, id)),
    );
  }
  expect(lines.find(({ kind }) => kind === "document").data.text).toContain("opens at seven");
  expect(text).not.toMatch(/Their|#conversation|gsi1|"pk"/);
  expect((await other.get(location)).status).toBe(404);
  const auditEvents = await waitForAuditEvents(other, done.id, [
    "export.requested",
    "export.ready",
    "export.downloaded",
  ]);
  const actors = auditEvents.map(({ action, actor }) => [action, actor.type]);
  expect(actors.reverse()).toEqual([
    ["export.requested", "user"],
    ["export.ready", "system"],
    ["export.downloaded", "system"],
    ["export.downloaded", "system"],
  ]);

  // Too large for a synchronous response, so it is built asynchronously like an archive.
  const tooLong = await exportConversation(owner, long, "json");
  expect([tooLong.status, tooLong.body.export.kind]).toEqual([202, "conversation"]);
  const whole = await waitForExport(owner, tooLong.headers.get("location") ?? "");
  expect(parseJsonExport((await download(owner, whole)).text)).toEqual(
    toExportedFields(await listAllMessages(owner, long)),
  );
  const { exports } = (await owner.get("/v1/exports")).body;
  expect(exports.map(({ id }: Export) => id)).toEqual([whole.id, done.id]);
});

it("archive of a user's data is built once when one user requests it several times concurrently", async () => {
  const owner = new Client(newIdentity(), service.baseUrl);
  const start = (headers = {}) => owner.request("POST", "/v1/exports", undefined, headers);
  const headers = { "idempotency-key": randomUUID() };
  const responses = await Promise.all([start(), start(), start(headers), start(), start()]);
  expect(responses.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  const ids = [...new Set(responses.map(({ body }): string => body.export.id))];
  expect(ids.length).toBeLessThan(responses.length);
  const archives = await Promise.all(ids.map((id) => waitForExport(owner, `/v1/exports/${id}`)));
  expect((await owner.get("/v1/exports")).body.exports).toHaveLength(ids.length);
  // A request that arrives after the first archive is ready starts a second archive.
  archives.sort((a, b) => a.created_at.localeCompare(b.created_at));
  for (const [index, { created_at }] of archives.slice(1).entries()) {
    expect(created_at >= String(archives[index]?.finished_at)).toBe(true);
  }
  const [repeated, later] = [await start(headers), await start()];
  expect(repeated.body.export.id).toBe(responses[2]?.body.export.id);
  expect(ids).not.toContain(later.body.export.id);
});

it("archive of a user's data cannot be downloaded by a forged or expired link", async () => {
  const owner = new Client(newIdentity(), service.baseUrl);
  const acceptedResponse = await owner.request("POST", "/v1/exports");
  const done = await waitForExport(owner, acceptedResponse.headers.get("location") ?? "");
  const url = done.download_url ?? "";
  const visit = async (path: string) => (await fetch(service.baseUrl + path)).status;
  expect(await visit(url)).toBe(200);
  const [body = "", code = ""] = url.split("/").at(-1)?.split(".") ?? [];
  const [tenant, user, id, until] = JSON.parse(Buffer.from(body, "base64url").toString());
  expect(until - Date.now()).toBeLessThanOrEqual(300_000);
  const forged = Buffer.from(JSON.stringify([tenant, user, id, until + 1])).toString("base64url");
  for (const token of [`${forged}.${code}`, `${body}.`, body, `${body}.${code}x`, "x"]) {
    expect([token, await visit(`/v1/downloads/${token}`)]).toEqual([token, 404]);
  }
});
