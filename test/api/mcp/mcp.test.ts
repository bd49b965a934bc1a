import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { McpClient } from "#shared/tools/mcp/mcp-client.ts";
import { metaKeys, STATELESS_VERSION } from "#shared/tools/mcp/protocol.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { createKeyClient } from "#test/support/tenancy/key-client.ts";

const client = new Client(newIdentity());
const options = { signal: new AbortController().signal, timeoutMs: 20_000 };
const connect = (caller = client, protocolVersion: string | null = null) =>
  new McpClient({ url: `${caller.baseUrl}/mcp`, headers: caller.headers, protocolVersion });
const send = (body: object) => client.post("/mcp", { jsonrpc: "2.0", ...body });

beforeAll(() => vi.stubEnv("TOOL_PRIVATE_RANGES", "127.0.0.0/8,::1/128"));
afterAll(() => void vi.unstubAllEnvs());

it.each([
  ["2026-07-28", null],
  ["2025-11-25", "2025-11-25"],
  ["2025-06-18", "2025-06-18"],
])("MCP server of the service lists its tools in the revision %s", async (revision, pinned) => {
  const mcp = connect(client, pinned);
  const { tools } = await mcp.listTools(options);
  expect(mcp.protocolVersion).toBe(revision);
  expect(tools.map((tool) => (tool as { name: string }).name)).toEqual([
    ...["search_knowledge", "read_passage", "list_memories", "add_memory", "list_notes", "add_note"],
    "ask_persona",
  ]);
});

it("MCP server of the service asks a persona with streamed progress, in a conversation of the caller", async () => {
  const { document } = await addIndexedDocument(client, { title: "Pier", text: "The pier closes at eleven." });
  const { body: persona } = await client.post("/v1/personas", { name: "Guide", tier: "THINKING" });
  const progress: string[] = [];
  const onProgress = (message: string) => void progress.push(message);
  const ask = async (input: object, caller = client, extra = {}) =>
    connect(caller).callTool("ask_persona", input, { ...options, onProgress, ...extra });
  const first = await ask({ question: "When does the pier close?", persona_id: persona.id });
  const answer = first.structuredContent as Record<string, never>;
  expect(answer).toMatchObject({ status: "complete", sources: [{ number: 1, title: "Pier" }] });
  expect(answer.text).toContain("eleven");
  expect(progress.length).toBeGreaterThan(0);
  expect(document).toBeDefined();
  const conversation = (await client.get(`/v1/conversations/${answer.conversation_id}`)).body;
  expect(conversation).toMatchObject({ title: "When does the pier close?", persona_id: persona.id });
  const second = await ask({ question: "And the harbor?", conversation_id: answer.conversation_id });
  expect(second.structuredContent).toMatchObject({ conversation_id: answer.conversation_id, status: "complete" });
  const stranger = new Client(newIdentity());
  for (const input of [{ persona_id: persona.id }, { conversation_id: answer.conversation_id }]) {
    expect(await ask({ question: "Hello", ...input }, stranger)).toMatchObject({ isError: true });
  }
  for (const depth of [3, -1, "x"]) {
    const meta = { "dev.switchboard/depth": depth };
    const refused = await ask({ question: "Hello" }, client, { meta });
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("3 deep") }] });
  }
});

it("MCP server of the service answers a question to a persona in JSON when the client accepts JSON only", async () => {
  const params = { name: "ask_persona", arguments: { question: "Hello" } };
  const response = await client.fetch("/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params }),
  });
  expect(response.headers.get("content-type")).toContain("application/json");
  expect(await response.json()).toMatchObject({ id: 7, result: { structuredContent: { status: "complete" } } });
});

it("MCP server of the service searches, reads and writes with the rights of the caller only", async () => {
  const { document } = await addIndexedDocument(client, { title: "Harbor", text: "The harbor opens at seven." });
  const mcp = connect();
  const call = async (caller: McpClient, name: string, input: object) =>
    (await caller.callTool(name, input, options)).structuredContent as Record<string, Record<string, unknown>[]>;
  const { passages } = await call(mcp, "search_knowledge", { query: "harbor opens" });
  expect(passages).toMatchObject([{ document_id: document, title: "Harbor", text: "The harbor opens at seven." }]);
  const { collection_id, passage } = passages?.[0] ?? {};
  const place = { collection_id, document_id: document, passage };
  expect(await call(mcp, "read_passage", place)).toMatchObject({
    title: "Harbor",
    text: "The harbor opens at seven.",
  });
  await call(mcp, "add_note", { title: "Packing", body: "Socks" });
  await call(mcp, "add_memory", { text: "Prefers trains." });
  expect((await call(mcp, "list_notes", { query: "socks" })).notes).toMatchObject([{ title: "Packing" }]);
  expect((await call(mcp, "list_memories", {})).memories).toMatchObject([{ text: "Prefers trains.", scope: "user" }]);
  // A model of the client wrote the memory, so the assistant treats it as unconfirmed.
  expect((await client.get("/v1/memories")).body.memories).toMatchObject([{ trusted: false }]);
  const stranger = connect(new Client(newIdentity()));
  expect((await call(stranger, "search_knowledge", { query: "harbor opens" })).passages).toEqual([]);
  expect(await stranger.callTool("read_passage", place, options)).toMatchObject({ isError: true });
  expect((await call(stranger, "list_notes", {})).notes).toEqual([]);
});

it("MCP server of the service tells the age of a passage and the instructions of its collection", async () => {
  const owner = new Client(newIdentity());
  const { body: collection } = await owner.post("/v1/knowledge/collections", {
    name: "Contracts",
    instructions: "Quote the paragraph.",
    max_age_days: 1,
  });
  await addIndexedDocument(owner, { title: "Lease", text: "The lease ends in March." }, collection.id);
  const { structuredContent } = await connect(owner).callTool("search_knowledge", { query: "lease ends" }, options);
  expect(structuredContent).toMatchObject({
    passages: [
      {
        title: "Lease",
        updated_at: expect.stringContaining("T"),
        is_outdated: false,
        collection_instructions: "Quote the paragraph.",
      },
    ],
  });
});

it("MCP server of the service offers documents as resources and templates as prompts, with the rights of the caller", async () => {
  const owner = new Client(newIdentity());
  const { document } = await addIndexedDocument(owner, { title: "Ferry", text: "The ferry leaves at nine." });
  const body = { name: "Greet", body: "Say hello to {{who}}.", variables: [{ name: "who" }] };
  const { body: template } = await owner.post("/v1/templates", body);
  const ask = async (caller: Client, method: string, params: object = {}) =>
    (await caller.post("/mcp", { jsonrpc: "2.0", id: 1, method, params })).body;
  const { resources } = (await ask(owner, "resources/list")).result;
  expect(resources).toMatchObject([{ name: "Ferry", uri: expect.stringContaining(document) }]);
  const { uri } = resources[0];
  const { contents } = (await ask(owner, "resources/read", { uri })).result;
  expect(contents).toEqual([{ uri, mimeType: "text/plain", text: "The ferry leaves at nine." }]);
  const { prompts } = (await ask(owner, "prompts/list")).result;
  expect(prompts[0]).toMatchObject({
    name: template.id,
    title: "Greet",
    arguments: [{ name: "who", required: true }],
  });
  const values = { name: template.id, arguments: { who: "Ada" } };
  const { messages } = (await ask(owner, "prompts/get", values)).result;
  expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Say hello to Ada." } }]);
  const stranger = new Client(newIdentity());
  expect((await ask(stranger, "resources/list")).result.resources).toEqual([]);
  for (const [method, params] of [
    ["resources/read", { uri }],
    ["resources/read", { uri: "file:///etc/passwd" }],
    ["prompts/get", values],
    ["prompts/get", {}],
    ["resources/list", { cursor: "x" }],
  ] as const) {
    expect((await ask(stranger, method, params)).error?.code).toBe(-32_602);
  }
});

it("MCP server of the service is described as a protected resource", async () => {
  for (const path of ["", "/mcp"]) {
    const { status, body } = await client.get(`/.well-known/oauth-protected-resource${path}`);
    expect([status, body]).toEqual([200, expect.objectContaining({ resource: `${client.baseUrl}/mcp` })]);
  }
});

it("MCP server of the service returns the address of its resource metadata with the 401 response for an invalid API key", async () => {
  const headers = {
    authorization: `Bearer swk_${"a".repeat(8)}_${"0".repeat(32)}`,
    "content-type": "application/json",
  };
  const response = await fetch(`${client.baseUrl}/mcp`, { method: "POST", headers, body: "{}" });
  const challenge = `Bearer resource_metadata="${client.baseUrl}/.well-known/oauth-protected-resource/mcp"`;
  expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, challenge]);
});

it.each(["GET", "DELETE"])(
  "MCP server of the service refuses %s of /mcp, which opens no stream and has no sessions",
  async (method) => {
    const response = await client.fetch("/mcp", { method, headers: { accept: "text/event-stream" } });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    expect(await response.json()).toMatchObject({ code: "method_not_allowed" });
  },
);

it("MCP server of the service answers errors in the format of JSON-RPC", async () => {
  const errors = async (body: object) => (await send({ id: 1, ...body })).body.error?.code;
  expect(await errors({ method: "nope" })).toBe(-32_601);
  expect(await errors({ method: "tools/call", params: { name: "nope" } })).toBe(-32_602);
  const _meta = { "io.modelcontextprotocol/protocolVersion": "2031-01-01" };
  const unsupported = await send({ id: "x", method: "tools/list", params: { _meta } });
  expect(unsupported.body).toMatchObject({ id: "x", error: { code: -32_022, data: { requested: "2031-01-01" } } });
  const invalid = await send({ id: 2, method: "tools/call", params: { name: "add_note", arguments: {} } });
  expect(invalid.body.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("title") }] });
});

it.each([
  ["an unknown version", { "mcp-protocol-version": "1999-01-01" }, { _meta: {} }, 400, -32_022],
  ["a body without its version", {}, { _meta: undefined }, 400, -32_602],
  ["a body without capabilities", {}, { _meta: { [metaKeys.version]: STATELESS_VERSION } }, 400, -32_602],
  ["another version in the body", { "mcp-protocol-version": "2025-11-25" }, {}, 400, -32_020],
  ["another method in the header", { "mcp-method": "TOOLS/CALL" }, {}, 400, -32_020],
  ["no method in the header", { "mcp-method": undefined }, {}, 400, -32_020],
  ["another name in the header", { "mcp-name": "add_note" }, {}, 400, -32_020],
  ["no name in the header", { "mcp-name": undefined }, {}, 400, -32_020],
  ["a removed method", { "mcp-method": "ping" }, { method: "ping" }, 404, -32_601],
  ["everything it needs", { "mcp-name": "=?base64?bGlzdF9ub3Rlcw==?=" }, {}, 200, undefined],
] as const)(
  "MCP server of the service checks a request of the revision without sessions: %s",
  async (_, headers, message, status, code) => {
    const _meta = { [metaKeys.version]: STATELESS_VERSION, [metaKeys.capabilities]: {} };
    const sent = {
      "mcp-protocol-version": STATELESS_VERSION,
      "mcp-method": "tools/call",
      "mcp-name": "list_notes",
      ...headers,
    };
    const defined = Object.fromEntries(Object.entries(sent).filter((entry): entry is [string, string] => !!entry[1]));
    const { method = "tools/call", ...fields } = message as { method?: string; _meta?: object };
    const params = { name: "list_notes", arguments: {}, _meta, ...fields };
    const response = await client.request("POST", "/mcp", { jsonrpc: "2.0", id: 5, method, params }, defined);
    expect([response.status, response.body.id, response.body.error?.code]).toEqual([status, 5, code]);
  },
);

it.each([
  ["no JSON", "{", 400, -32_700, null],
  ["bytes that are no text", new Uint8Array([0x22, 0xfc, 0x22]), 400, -32_700, null],
  ["an empty body", "", 422, -32_600, null],
  ["a text", '"ping"', 422, -32_600, null],
  ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 422, -32_600, null],
  ["no version", '{"id":7,"method":"ping"}', 400, -32_600, 7],
  ["another version", '{"jsonrpc":"1.0","id":"a","method":"ping"}', 400, -32_600, "a"],
  ["a method that is a number", '{"jsonrpc":"2.0","id":7,"method":1}', 400, -32_600, 7],
  ["parameters that are a text", '{"jsonrpc":"2.0","id":7,"method":"ping","params":"x"}', 400, -32_600, 7],
  ["the id null", '{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32_600, null],
  ["a fraction as id", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32_600, null],
  ["a body that is too large", `"${"a".repeat(1_100_000)}"`, 413, -32_600, null],
  ["another content type", "{}", 415, -32_600, null, "text/html"],
] as const)(
  "MCP server of the service answers a request with %s with an error of JSON-RPC",
  async (_, body, status, code, id, type: string = "application/json") => {
    const response = await client.fetch("/mcp", { method: "POST", headers: { "content-type": type }, body });
    expect([response.status, response.headers.get("content-type")]).toEqual([status, "application/json"]);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id, error: { code, message: expect.any(String) } });
  },
);

it("MCP server of the service refuses pages of other origins, unless the API key allows them", async () => {
  const grant = { scopes: ["tools.run"], allowed_origins: ["https://app.example"] };
  const { headers } = await createKeyClient(client, grant);
  const ping = async (origin: string, sent: Record<string, string>) => {
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const init = { method: "POST", headers: { "content-type": "application/json", origin, ...sent }, body: message };
    return (await fetch(`${client.baseUrl}/mcp`, init)).status;
  };
  const foreign = ["https://evil.example", "http://127.0.0.1:1", "null", `${client.baseUrl}.evil.example`];
  for (const origin of foreign) expect([origin, await ping(origin, client.headers)]).toEqual([origin, 403]);
  expect(await ping(client.baseUrl, client.headers)).toBe(200);
  expect([await ping("https://app.example", headers), await ping("https://evil.example", headers)]).toEqual([200, 403]);
});

it("MCP server of the service does not negotiate the revision with batches", async () => {
  const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  const { body } = await send({ id: 1, method: "initialize", params });
  expect(body.result.protocolVersion).toBe("2025-11-25");
  const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const refused = await client.request("POST", "/mcp", message, { "mcp-protocol-version": "2025-03-26" });
  const supported = ["2026-07-28", "2025-11-25", "2025-06-18"];
  expect([refused.status, refused.body.error]).toMatchObject([400, { code: -32_022, data: { supported } }]);
});

it("MCP server of the service accepts notifications without an answer", async () => {
  const { status, text } = await send({ method: "notifications/initialized" });
  expect([status, text]).toEqual([202, ""]);
});
