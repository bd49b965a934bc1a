import { createHmac } from "node:crypto";
import { beforeAll, expect, it, vi } from "vitest";
import { Client } from "#test/support/client.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { isFullRun } from "#test/support/run-size.ts";

/** Returns objects nested to the given depth. */
const createNested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);

const client = new Client();
let conversation: string;
let answer: string;

beforeAll(async () => {
  conversation = await client.createConversation();
  const frames = await client.chat({ conversation_id: conversation, content: "Hello", tier: "QUICK" });
  answer = frames[0]?.data.message_id;
});

const editMessage = (content: unknown) =>
  client.patch(`/v1/conversations/${conversation}/messages/${answer}`, { content });
const requestApproval = (params: unknown) =>
  client.post("/v1/approvals", { type: "tool_execution", action: { operation: "send_mail", params } });

it("API stores large numbers without loss", async () => {
  const spec = { ids: [1.2345678901234567e19, 1.5e300 / 1e200, -9.007199254740994e15], $schema: "v5" };
  expect((await editMessage([{ type: "vega", spec }])).status).toBe(200);
  const { body } = await client.get(`/v1/conversations/${conversation}/messages`);
  expect(body.messages.at(-1).content).toEqual([{ type: "vega", spec }]);
  const { body: approval } = await requestApproval({ id: 1.2345678901234567e19 });
  expect(approval.action.params).toEqual({ id: 1.2345678901234567e19 });
  // The stream processor that compared both contents continues.
  await addIndexedDocument(client, { title: "After large numbers", text: "Opens at nine." });
});

it.each([
  ["nesting over the limit", createNested(25)],
  ["nesting far over the limit", createNested(1_000)],
  ["numbers that are too large", { a: 1e200 }],
  ["numbers that are too small", { a: [1e-200] }],
])("API returns 400 for a value with %s", async (_, value) => {
  expect((await requestApproval(value)).status).toBe(400);
  expect((await editMessage([{ type: "vega", spec: value }])).status).toBe(400);
});

it("API rejects a message over the size limit with 400", async () => {
  expect((await editMessage([{ type: "text", text: "y".repeat(500_000) }])).status).toBe(400);
  expect((await editMessage([{ type: "vega", spec: { a: "y".repeat(500_000) } }])).status).toBe(400);
});

it("API shows titles and names as one line without control characters and direction overrides", async () => {
  const odd = "\u202egpj.exe\r\n\u0000 a\u2066b\u2029";
  const { body } = await client.post("/v1/conversations", { title: odd });
  expect(body.title).toBe("gpj.exe  a b");
  expect((await client.post("/v1/folders", { name: odd })).body.name).toBe("gpj.exe  a b");
  expect((await client.post("/v1/conversations", { title: "\u202e\u0000" })).status).toBe(400);
});

it("API stores names in the form NFC, such as those of files from macOS", async () => {
  const [separate, composed] = ["U\u0308bersicht.txt", "\u00dcbersicht.txt"];
  const file = { file_name: separate, size: 5 };
  const path = `/v1/conversations/${await client.createConversation()}/attachments`;
  expect((await client.post(path, file)).body.attachment.file_name).toBe(composed);
  expect((await client.post("/v1/groups", { name: separate, roles: [] })).body.name).toBe(composed);
});

it("API accepts an alert with deeply nested values, large numbers or unpaired surrogates instead of rejecting it", async () => {
  const channel_id = `odd-${Date.now()}`;
  const { body: channel } = await client.post("/v1/webhooks/register", { channel_id, conversation_id: conversation });
  const metadataValues = [createNested(40), { id: 1.2345678901234567e19 }, { a: 1e200 }, { text: "\ud800" }];
  for (const [index, metadata] of metadataValues.entries()) {
    const payload = { severity: "low", description: `Odd \udfff ${index}`, metadata };
    const signature = createHmac("sha256", channel.secret).update(JSON.stringify(payload)).digest("hex");
    const path = `/v1/webhooks/${channel_id}`;
    const { status, text } = await client.post(path, payload, { "x-webhook-signature": signature });
    expect([status, text]).toEqual([200, expect.any(String)]);
  }
});

it.runIf(isFullRun)("API lists very long alerts in pages below the response size limit", async () => {
  const channel_id = `long-${Date.now()}`;
  const id = await client.createConversation("Long");
  const { body: channel } = await client.post("/v1/webhooks/register", { channel_id, conversation_id: id });
  for (let n = 0; n < 24; n++) {
    const metadata = { trace: "字".repeat(49_000) };
    const payload = { severity: "low", description: `${n} ${"字".repeat(19_000)}`, metadata };
    const signature = createHmac("sha256", channel.secret).update(JSON.stringify(payload)).digest("hex");
    await client.post(`/v1/webhooks/${channel_id}`, payload, { "x-webhook-signature": signature });
  }
  const listed: string[] = [];
  let cursor = "";
  for (let hasMore = true; hasMore; ) {
    const { body, text } = await client.get(`/v1/conversations/${id}/messages?limit=100${cursor}`);
    expect(Buffer.byteLength(JSON.stringify({ body: text }))).toBeLessThan(6_000_000);
    listed.push(
      ...body.messages.map(({ alert }: { alert: { description: string } }) => alert.description.split(" ")[0]),
    );
    hasMore = body.next_cursor !== null;
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect(listed).toEqual(Array.from({ length: 24 }, (_, n) => String(n)));
});

it.runIf(isFullRun)("API lists and exports very long approval requests in parts of limited size", async () => {
  const requester = new Client();
  const action = { operation: "print", params: { text: "字".repeat(31_900) } };
  for (let n = 0; n < 65; n++) await requester.post("/v1/approvals", { type: "tool_execution", action });
  const { export: archive } = (await requester.post("/v1/exports", undefined)).body;
  const listed: string[] = [];
  let cursor = "";
  for (let hasMore = true; hasMore; ) {
    const { body, text } = await requester.get(`/v1/approvals?mine=true&limit=100${cursor}`);
    expect(Buffer.byteLength(JSON.stringify({ body: text }))).toBeLessThan(6_000_000);
    listed.push(...body.approvals.map(({ id }: { id: string }) => id));
    hasMore = body.next_cursor !== null;
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect(new Set(listed).size).toBe(65);
  expect(listed).toHaveLength(65);
  await vi.waitFor(
    async () => expect((await requester.get(`/v1/exports/${archive.id}`)).body.status).toBe("ready"),
    60_000,
  );
});

it("API returns 404 for another HTTP method on a streaming route", async () => {
  const countMessages = async () => (await client.get(`/v1/conversations/${conversation}`)).body.message_count;
  const before = await countMessages();
  for (const method of ["PUT", "PATCH", "DELETE"]) {
    const { status, body } = await client.request(method, "/v1/runtime/chat", {
      conversation_id: conversation,
      content: "Hello",
    });
    expect([method, status, body?.code]).toEqual([method, 404, "not_found"]);
  }
  expect((await client.fetch("/v1/runtime/chat", { method: "OPTIONS" })).status).toBe(404);
  expect(await countMessages()).toBe(before);
});

it("API returns 404 for a very long or special model name", async () => {
  const key = await client.post(
    "/v1/tenant/api-keys",
    { description: "Odd", scopes: ["chat.completions"] },
    { "idempotency-key": "odd" },
  );
  for (const model of ["m".repeat(3_000), "言".repeat(400), "__proto__"]) {
    const messages = [{ role: "user", content: "Hello" }];
    const authorization = { authorization: `Bearer ${key.body.key}` };
    const { status, body } = await client.post("/openai/v1/chat/completions", { model, messages }, authorization);
    expect([status, body.error.code]).toEqual([404, "model_not_found"]);
  }
});

it.each([
  ["/v1/personas", { name: "P", instructions: "x", tool_servers: [{ server_id: "" }] }],
  ["/v1/personas", { name: "P", instructions: "x", collection_ids: [""] }],
  ["/v1/conversations", { title: "x", folder_id: "" }],
  ["/v1/conversations", { title: "x", persona_id: "" }],
  ["/v1/folders", { name: "x", parent_id: "" }],
  ["/v1/models", { name: "m", model_id: "m", group_ids: [""] }],
  ["/v1/runtime/chat", { conversation_id: "", content: "x" }],
])("API returns 400 for an empty identifier in a body of %s: %j", async (path, body) => {
  expect((await client.post(path, body)).status).toBe(400);
});

it.each(["http://169.254.169.254/latest", "http://10.0.0.7/x", "https://[fd00::1]/x"])(
  "API returns 400 for a stored address that requests must not reach: %s",
  async (url) => {
    const { body: collection } = await client.post("/v1/knowledge/collections", { name: `Pages of ${url}` });
    const responses = [
      await client.post("/v1/event-endpoints", { url, description: "x", types: ["approval.decided"] }),
      await client.post(`/v1/knowledge/collections/${collection.id}/imports`, { url }),
    ];
    for (const { status, body } of responses)
      expect([status, body.errors?.[0].code]).toEqual([400, "address_not_allowed"]);
  },
);
