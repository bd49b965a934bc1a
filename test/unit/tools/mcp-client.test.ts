import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { McpClient } from "#shared/tools/mcp/mcp-client.ts";
import type { CallResumption } from "#shared/tools/mcp/mcp-target.ts";
import {
  type McpServer,
  type McpServerOptions,
  startMcpServer,
  toolDefinition,
} from "#test/support/tools/mcp-server.ts";

let server: McpServer;
const signal = new AbortController().signal;
const options = { signal, timeoutMs: 5_000 };

async function connect(serverOptions: McpServerOptions = {}, protocolVersion: string | null = null, headers = {}) {
  server = await startMcpServer(serverOptions);
  return new McpClient({ url: server.url, headers, protocolVersion });
}

beforeEach(() => vi.stubEnv("TOOL_PRIVATE_RANGES", "127.0.0.0/8"));
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.stop();
});

const methods = () => server.requests.map(({ method, message }) => message?.method ?? method);

it("McpClient speaks the stateless revision with one request per call", async () => {
  const client = await connect({}, "2026-07-28", { authorization: "Bearer x" });
  const result = await client.callTool("écho", { text: "hi" }, { ...options, meta: { traceparent: "00-1-2-01" } });
  expect(result.content).toEqual([{ type: "text", text: '{"text":"hi"}' }]);
  expect(server.requests).toHaveLength(1);
  const { headers, message } = server.requests[0] ?? { headers: {} };
  expect(headers).toMatchObject({
    authorization: "Bearer x",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "=?base64?w6ljaG8=?=",
  });
  expect(message.params._meta).toMatchObject({
    traceparent: "00-1-2-01",
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  });
});

it.each(["2025-11-25", "2025-06-18"])(
  "McpClient falls back to the revision %s with a session, and ends it",
  async (revision) => {
    const client = await connect({ revisions: [revision], isStreaming: true });
    const progress: string[] = [];
    const onProgress = (text: string) => void progress.push(text);
    await Promise.all([1, 2].map((text) => client.callTool("echo", { text }, { ...options, onProgress })));
    expect(client.protocolVersion).toBe(revision);
    expect(progress).toEqual(["Half done", "Half done"]);
    await client.close();
    expect(methods()).toEqual([
      ...["server/discover", "initialize", "notifications/initialized", "tools/call", "tools/call", "DELETE"],
    ]);
    const sessions = server.requests.slice(2).map(({ headers }) => headers["mcp-session-id"]);
    expect(new Set(sessions).size).toBe(1);
    expect(server.requests.at(-1)?.headers["mcp-protocol-version"]).toBe(revision);
  },
);

it("McpClient uses the initialize handshake with a server that answers the discovery with an empty result", async () => {
  const client = await connect({ revisions: ["2025-11-25"] });
  server.intercept = ({ message }, response) => {
    if (message?.method !== "server/discover") return false;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: {} }));
    return true;
  };
  await client.listTools(options);
  expect(client.protocolVersion).toBe("2025-11-25");
});

it.each(["application/json", "text/event-stream"])("McpClient reads its response in a batch of %s", async (type) => {
  const client = await connect({ revisions: ["2025-03-26"] });
  server.intercept = ({ message }, response) => {
    if (message?.method !== "tools/call") return false;
    const { progressToken } = message.params._meta;
    const progress = { method: "notifications/progress", params: { progressToken, progress: 1, message: "Half done" } };
    const result = { content: [{ type: "text", text: "done" }] };
    const batch = [{ id: -5, result: {} }, { id: message.id, result }, progress];
    const text = JSON.stringify(batch.map((part) => ({ jsonrpc: "2.0", ...part })));
    response.writeHead(200, { "content-type": type }).end(type === "application/json" ? text : `data: ${text}\n\n`);
    return true;
  };
  const progress: string[] = [];
  const result = await client.callTool("echo", {}, { ...options, onProgress: (text) => void progress.push(text) });
  expect([result.content, progress]).toEqual([[{ type: "text", text: "done" }], ["Half done"]]);
});

it("McpClient sends the answers to questions with another id than the call that asked", async () => {
  const question = { method: "elicitation/create", params: { message: "Who?", requestedSchema: { type: "object" } } };
  const calls = async (resumption?: CallResumption) => {
    const client = new McpClient({ url: server.url, headers: {}, protocolVersion: "2026-07-28" });
    return client.callTool("echo", {}, { ...options, canAsk: true, resumption });
  };
  await connect();
  server.call = () => ({ resultType: "input_required", inputRequests: { q: question }, requestState: "s" });
  expect((await calls()).resultType).toBe("input_required");
  server.call = () => ({ content: [] });
  await calls({ inputResponses: { q: { action: "decline" } }, requestState: "s" });
  const [first, second] = server.requests.map(({ message }) => message);
  expect(second.params).toMatchObject({ inputResponses: { q: { action: "decline" } }, requestState: "s" });
  expect(second.id).not.toBe(first.id);
});

it("McpClient negotiates again when a server has changed its revision", async () => {
  const client = await connect({ revisions: ["2025-11-25"] }, "2026-07-28");
  await client.callTool("echo", {}, options);
  expect(client.protocolVersion).toBe("2025-11-25");
});

it("McpClient starts a new session when the server has forgotten it, and repeats the request once", async () => {
  const client = await connect({ revisions: ["2025-11-25"] });
  await client.callTool("echo", {}, options);
  server.requests.length = 0;
  let losses = 0;
  server.intercept = ({ message }, response) => {
    if (message?.method !== "tools/call" || losses++ > 0) return false;
    response.writeHead(404).end();
    return true;
  };
  await client.callTool("echo", {}, options);
  expect(methods()).toEqual(["tools/call", "initialize", "notifications/initialized", "tools/call"]);
});

it("McpClient follows the pages of a list, and refuses pages without end", async () => {
  const client = await connect({ pageSize: 2 });
  server.tools = ["a", "b", "c", "d", "e"].map((name) => toolDefinition(name));
  expect((await client.listTools(options)).tools).toHaveLength(5);
  server.tools = Array.from({ length: 10_000 }, (_, index) => toolDefinition(`t${index}`));
  await expect(client.listTools(options)).rejects.toThrow("more than 1000 tools or 20 pages");
  server.intercept = ({ message }, response) => {
    const result = { tools: [], nextCursor: "same", resultType: "complete" };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
    return true;
  };
  await expect(client.listTools(options)).rejects.toThrow("repeats a page");
});

it("McpClient resumes an event stream that breaks before the response", async () => {
  const client = await connect({ revisions: ["2025-11-25"] });
  let id = 0;
  server.intercept = ({ method, message, headers }, response) => {
    if (message?.method !== "tools/call" && method !== "GET") return false;
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (method === "POST") ({ id } = message);
    if (method === "POST") response.end("id: 7\nretry: 1\ndata:\n\n");
    const result = { content: [{ type: "text", text: String(headers["last-event-id"]) }] };
    if (method === "GET") response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
    return true;
  };
  await client.listTools(options);
  expect((await client.callTool("echo", {}, options)).content).toEqual([{ type: "text", text: "7" }]);
});

it.each(["ends", "breaks"])("McpClient resumes an event stream that %s within an event", async (how) => {
  const client = await connect({ revisions: ["2025-11-25"] });
  let id = 0;
  server.intercept = ({ method, message, headers }, response) => {
    if (message?.method !== "tools/call" && method !== "GET") return false;
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (method === "POST") {
      ({ id } = message);
      response.write('id: 7\nretry: 1\ndata:\n\nid: 8\ndata: {"jsonrpc":"2.0","id', () =>
        how === "ends" ? response.end() : response.destroy(),
      );
    }
    const result = { content: [{ type: "text", text: String(headers["last-event-id"]) }] };
    if (method === "GET") response.end(`id: 8\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
    return true;
  };
  await client.listTools(options);
  expect((await client.callTool("echo", {}, options)).content).toEqual([{ type: "text", text: "7" }]);
});

it("McpClient answers a ping of the server and refuses its other requests", async () => {
  const client = await connect({ revisions: ["2025-11-25"] });
  await client.listTools(options);
  const answered = new Promise<void>((resolve) => {
    server.intercept = ({ message }, response) => {
      if (message?.method === "tools/call") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const [id, method] of [
          ["p", "ping"],
          ["s", "sampling/createMessage"],
        ]) {
          response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, method })}\n\n`);
        }
        response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { content: [] } })}\n\n`);
        return true;
      }
      if (server.requests.filter((each) => each.message?.method === undefined).length === 2) resolve();
      return false;
    };
  });
  await client.callTool("echo", {}, options);
  await answered;
  const replies = server.requests.map(({ message }) => message).filter((message) => message?.method === undefined);
  expect(replies).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: "p", result: {} }),
      expect.objectContaining({ id: "s", error: expect.objectContaining({ code: -32_601 }) }),
    ]),
  );
});

const failures: readonly (readonly [string, McpServer["intercept"], RegExp, boolean])[] = [
  ["hangs", () => true, /did not respond in time/, true],
  ["dies while it executes the call", (_, response) => !!response.destroy(), /could not be reached/, true],
  ["answers with text", (_, response) => !!response.writeHead(200).end("hello"), /no response to the request/, true],
  [
    "answers with broken JSON",
    (_, response) => !!response.writeHead(200, { "content-type": "application/json" }).end("{"),
    /not JSON-RPC/,
    true,
  ],
  [
    "answers with another id",
    (_, response) =>
      !!response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id: 99, result: { content: [] } })),
    /no response to the request/,
    true,
  ],
  [
    "answers with 10 MB",
    (_, response) =>
      !!response.writeHead(200, { "content-type": "application/json" }).end(Buffer.alloc(10 * 1_048_576, 32)),
    /too large/,
    true,
  ],
  ["fails with 503", (_, response) => !!response.writeHead(503).end(), /status 503/, true],
  ["refuses the credentials", (_, response) => !!response.writeHead(401).end(), /credentials/, false],
  ["is busy", (_, response) => !!response.writeHead(429).end(), /busy/, false],
];

it.each(failures)(
  "McpClient tells that a call failed, and whether its outcome is unknown, when the server %s",
  async (...failure) => {
    const [, intercept, message, isOutcomeUnknown] = failure;
    const client = await connect({}, "2026-07-28");
    server.intercept = intercept;
    const call = client.callTool("echo", {}, { ...options, timeoutMs: 400 });
    await expect(call).rejects.toMatchObject({
      name: "ToolServerError",
      isOutcomeUnknown,
      message: expect.stringMatching(message),
    });
    expect(methods()).toEqual(["tools/call"]);
  },
);

it("McpClient tells that a call was not executed when no connection was possible", async () => {
  const client = await connect({}, "2026-07-28");
  await server.stop();
  await expect(client.callTool("echo", {}, options)).rejects.toMatchObject({ isOutcomeUnknown: false });
  vi.stubEnv("TOOL_PRIVATE_RANGES", "");
  await expect(client.callTool("echo", {}, options)).rejects.toThrow("The address is not allowed");
});

it("McpClient cancels a request of a session that takes too long", async () => {
  const client = await connect({ revisions: ["2025-11-25"] });
  await client.listTools(options);
  const canceled = new Promise<unknown>((resolve) => {
    server.intercept = ({ message }) => {
      if (message?.method === "notifications/cancelled") resolve(message.params.requestId);
      return message?.method === "tools/call";
    };
  });
  await expect(client.callTool("echo", {}, { ...options, timeoutMs: 200 })).rejects.toThrow("in time");
  const sent = server.requests.find(({ message }) => message?.method === "tools/call");
  expect(await canceled).toBe(sent?.message.id);
});
