import { createHmac, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Export, ExportedConversation } from "#shared/api/governance/exports.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { decideApproval, waitForResult } from "#test/support/governance/approvals.ts";
import { waitForAuditEvents } from "#test/support/governance/audit.ts";
import { getPolicyRules, setPolicy } from "#test/support/governance/policy.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";

/** Messages of the long conversation. */
const many = process.env.SWITCHBOARD_FULL ? 2_000 : 260;

interface Message {
  readonly role: string;
  readonly content: { type: string; text?: string; index?: number; quote?: string }[];
  readonly created_at: string;
}

/** What has to survive an export: text, order, citations and times. */
const essence = (messages: readonly Message[]) =>
  messages.map(({ role, content, created_at }) => ({ role, content, created_at }));

/** A conversation whose answers cite a document. */
async function cited(client: Client): Promise<string> {
  const collection = (await client.post("/v1/knowledge/collections", { name: "Rules" })).body.id;
  const text = "The cafeteria opens at seven and closes at three. Guests pay by card.";
  await client.post(`/v1/knowledge/collections/${collection}/documents`, { title: "Cafeteria", text });
  await vi.waitFor(
    async () => {
      const { body } = await client.get(`/v1/knowledge/collections/${collection}/documents`);
      expect(body.documents[0].status).toBe("ready");
    },
    { timeout: 15_000, interval: 50 },
  );
  const id = await client.createConversation("When to eat");
  for (const content of ["When does the cafeteria open?", "<!-- message --> ## not a heading\n\n```js\nlet a;\n```"]) {
    await client.chat({ conversation_id: id, content, tier: "THINKING" });
  }
  return id;
}

async function allMessages(client: Client, id: string): Promise<Message[]> {
  const found: Message[] = [];
  for (let cursor = ""; ; ) {
    const { body } = await client.get(`/v1/conversations/${id}/messages?limit=100${cursor}`);
    found.push(...body.messages);
    if (body.next_cursor === null) return found;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

const exported = (client: Client, id: string, format: string) =>
  client.post(`/v1/conversations/${id}/export`, { format });

/** An export once it is ready. */
const ready = (client: Client, location: string): Promise<Export> =>
  vi.waitFor(
    async () => {
      const { body } = await client.get(location);
      expect(body.status).toBe("ready");
      return body;
    },
    { timeout: 60_000, interval: 50 },
  );

async function download(client: Client, { download_url }: Export) {
  const response = await fetch(client.baseUrl + download_url);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Fills a conversation with alerts, the cheapest of messages, of 8 KB each. */
async function fill(client: Client, id: string): Promise<void> {
  const channel = `c-${randomUUID()}`;
  const { secret } = (await client.post("/v1/webhooks/register", { channel_id: channel, conversation_id: id })).body;
  for (let n = 0; n < many; n++) {
    const body = JSON.stringify({ severity: "low", description: `Alert ${n}: ${"größer ".repeat(1_000)}` });
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const headers = { "content-type": "application/json", "x-webhook-signature": signature };
    const { status } = await client.fetch(`/v1/webhooks/${channel}`, { method: "POST", headers, body });
    expect(status).toBe(200);
  }
}

/** Ten lines that make a conversation of its export. */
function imported(text: string): Message[] {
  const { messages } = JSON.parse(text) as ExportedConversation;
  const restored: Message[] = [];
  for (const { role, content, created_at } of messages) {
    restored.push({ role, content, created_at });
  }
  return restored;
}

/** The same out of Markdown: what each message says, by the length its comment tells, and its footnotes. */
function importedFromMarkdown(text: string) {
  const restored: { role: string; created_at: string; text: string; citations: string[] }[] = [];
  let rest = Buffer.from(text);
  for (let at = rest.indexOf("<!-- message {"); at >= 0; at = rest.indexOf("<!-- message {")) {
    const about = JSON.parse(rest.toString("utf8", at + 13, rest.indexOf(" -->", at)));
    const start = rest.indexOf("\n\n", rest.indexOf("\n\n", at) + 2) + 2;
    const [said, after] = [rest.toString("utf8", start, start + about.bytes), rest.subarray(start + about.bytes)];
    restored.push({
      ...about,
      text: said,
      citations: after.toString().trimStart().split("\n").slice(0, about.citations),
    });
    rest = after;
  }
  return restored;
}

describe("the export of a conversation", () => {
  it("as JSON holds its text, order, citations and times", async () => {
    const client = new Client();
    const id = await cited(client);
    const messages = await allMessages(client, id);
    const { status, headers, text, body } = await exported(client, id, "json");
    expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
      200,
      "application/json",
      "no-store",
    ]);
    expect(imported(text)).toEqual(essence(messages));
    expect(messages.flatMap(({ content }) => content).some(({ type }) => type === "citation")).toBe(true);
    expect(body).toMatchObject({
      format: "switchboard.conversation",
      version: 1,
      conversation: { id, title: "When to eat" },
    });
    expect(text).not.toContain(client.identity.tenant);
  });

  it("as Markdown can be read by people, and by programs just as well", async () => {
    const client = new Client();
    const id = await cited(client);
    const messages = await allMessages(client, id);
    const { status, headers, text } = await exported(client, id, "markdown");
    expect([status, headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
    expect(text.startsWith("# When to eat\n")).toBe(true);
    const restored = importedFromMarkdown(text);
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

  it("is given out once for an Idempotency-Key, and again as it was to a retry", async () => {
    const client = new Client();
    const id = await cited(client);
    const ask = (format: string) =>
      client.post(`/v1/conversations/${id}/export`, { format }, { "idempotency-key": "export" });
    const first = await ask("markdown");
    await client.chat({ conversation_id: id, content: "What came later", tier: "QUICK" });
    const again = await ask("markdown");
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
    expect([first, again].map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
    expect((await ask("json")).body.code).toBe("idempotency_key_reused");
    expect((await client.get("/v1/exports")).body.exports).toHaveLength(1);
    await client.delete(`/v1/conversations/${id}`);
    expect((await ask("markdown")).status).toBe(404);
  });

  it("is for those who may read it, in formats that the policy allows", async () => {
    const owner = new Client();
    const id = await owner.createConversation();
    const reader = await createColleague(owner);
    expect((await exported(reader, id, "json")).status).toBe(404);
    await shareConversation(owner, id, reader, "READ");
    expect((await exported(reader, id, "json")).status).toBe(200);
    const [noted] = await waitForAuditEvents(owner, (await reader.get("/v1/exports")).body.exports[0].id, [
      "export.delivered",
    ]);
    expect(noted?.actor).toEqual({ type: "user", id: reader.identity.user });
    expect(noted?.details).toMatchObject({ conversation_id: id, format: "json" });
    await setPolicy(owner, { export: { allowed: true, formats: ["markdown"] } });
    expect((await exported(owner, id, "json")).body).toMatchObject({ status: 403, code: "forbidden" });
    expect((await exported(owner, id, "markdown")).status).toBe(200);
    await setPolicy(owner, { export: { allowed: false, formats: ["json", "markdown"] } });
    for (const format of ["json", "markdown"]) expect((await exported(owner, id, format)).status).toBe(403);
    expect((await owner.request("POST", "/v1/exports")).status).toBe(403);
    expect((await exported(owner, id, "pdf")).status).toBe(400);
  });

  it("is held where the policy asks for sign-off, and can be fetched once approved", async () => {
    const boss = new Client();
    const worker = await createColleague(boss);
    const id = await worker.createConversation("To be signed off");
    const { approvals } = await getPolicyRules(boss);
    await setPolicy(boss, { approvals: { ...approvals, export: "always" } });
    const held = await exported(worker, id, "markdown");
    const { approval } = held.body;
    expect([held.status, held.headers.get("location")]).toEqual([202, `/v1/approvals/${approval.id}`]);
    await decideApproval(boss, approval.id, "approve");
    const { result } = await waitForResult(worker, approval.id);
    const done = await ready(worker, `/v1/exports/${result.export_id}`);
    expect((await download(worker, done)).text).toMatch(/^# To be signed off\n/);
    const whole = await worker.request("POST", "/v1/exports");
    expect([whole.status, whole.body.approval.action.operation]).toEqual([202, "createExport"]);
    const late = await exported(worker, id, "json");
    await setPolicy(boss, { export: { allowed: false, formats: ["json", "markdown"] } });
    for (const { body } of [whole, late]) {
      await decideApproval(boss, body.approval.id, "approve");
      const refused = await waitForResult(worker, body.approval.id);
      expect(refused.result).toMatchObject({ status: "failed", code: "forbidden" });
    }
    // What was taken out of sight is not given out either.
    expect((await download(worker, done)).status).toBe(200);
    await worker.delete(`/v1/conversations/${id}`);
    expect((await download(worker, done)).status).toBe(404);
  });
});

describe("an archive", () => {
  let service: Switchboard;
  beforeAll(async () => {
    service = await startSwitchboard({ env: { RATE_LIMIT_CHANNEL: "1000000" } });
  });
  afterAll(() => service?.stop());

  it("holds everything one owns and nothing of others, and is fetched by a link that needs no token", {
    timeout: 300_000,
  }, async () => {
    const owner = new Client(newIdentity(), service.baseUrl);
    const other = await createColleague(owner, "admin");
    await owner.get("/v1/me");
    const folder = (await owner.post("/v1/folders", { name: "Mine" })).body.id;
    const first = await cited(owner);
    await owner.patch(`/v1/conversations/${first}`, { folder_id: folder });
    const long = await owner.createConversation("Long");
    await fill(owner, long);
    await owner.post("/v1/notes", { title: "A note", body: "of mine" });
    await owner.post("/v1/memories", { text: "Likes tea", scope: "user", category: "preference" });
    await owner.post("/v1/personas", { name: "Private one", instructions: "Be kind.", visibility: "private" });
    await owner.post("/v1/personas", { name: "Shared one", instructions: "Be kind.", visibility: "org" });
    await owner.post("/v1/templates", { name: "A template", body: "Hello {{name}}" });
    await owner.post("/v1/approvals", { type: "tool_execution", action: { operation: "x" } });
    const theirs = await other.createConversation("Theirs");
    await shareConversation(other, theirs, owner, "WRITE");
    await other.post("/v1/personas", { name: "Their shared one", instructions: "Be kind.", visibility: "org" });
    await other.post("/v1/notes", { title: "Their note", body: "not yours" });

    const begun = await owner.request("POST", "/v1/exports");
    expect([begun.status, begun.body.export]).toEqual([
      202,
      expect.objectContaining({ kind: "archive", download_url: null }),
    ]);
    const location = begun.headers.get("location") ?? "";
    const done = await ready(owner, location);
    const { status, headers, text } = await download(owner, done);
    expect([status, headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="archive-[\d-]+\.ndjson"$/);
    expect(Buffer.byteLength(text)).toBe(done.size);
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const count = (kind: string) => lines.filter((line) => line.kind === kind).length;
    expect(lines[0]).toMatchObject({ kind: "archive", data: { user_id: owner.identity.user } });
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
    expect(kinds.map((kind) => [kind, count(kind)])).toEqual([
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
    for (const id of [first, long]) {
      const messages = lines.filter(({ kind, data }) => kind === "message" && data.conversation_id === id);
      expect(essence(messages.map(({ data }) => data))).toEqual(essence(await allMessages(owner, id)));
    }
    expect(lines.find(({ kind }) => kind === "document").data.text).toContain("opens at seven");
    expect(text).not.toMatch(/Their|#conversation|gsi1|"pk"/);
    expect((await other.get(location)).status).toBe(404);
    const trail = await waitForAuditEvents(other, done.id, ["export.requested", "export.ready", "export.downloaded"]);
    const actors = trail.map(({ action, actor }) => [action, actor.type]);
    expect(actors.reverse()).toEqual([
      ["export.requested", "user"],
      ["export.ready", "system"],
      ["export.downloaded", "system"],
    ]);

    // Too long for one answer: put together like an archive.
    const tooLong = await exported(owner, long, "json");
    expect([tooLong.status, tooLong.body.export.kind]).toEqual([202, "conversation"]);
    const whole = await ready(owner, tooLong.headers.get("location") ?? "");
    expect(imported((await download(owner, whole)).text)).toEqual(essence(await allMessages(owner, long)));
    const { exports } = (await owner.get("/v1/exports")).body;
    expect(exports.map(({ id }: Export) => id)).toEqual([whole.id, done.id]);
  });

  it("is not to be had with a link that is made up or too old", async () => {
    const owner = new Client(newIdentity(), service.baseUrl);
    const begun = await owner.request("POST", "/v1/exports");
    const done = await ready(owner, begun.headers.get("location") ?? "");
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
});
