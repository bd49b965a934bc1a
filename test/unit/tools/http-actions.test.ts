import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { ServerTool } from "#shared/api/tools/tool-server.ts";
import { newToolServer } from "#shared/tools/change-server.ts";
import { callAction, selectPointers, toActionRequest } from "#shared/tools/http/call-action.ts";
import type { StoredToolServer } from "#shared/tools/server-store.ts";

const openapi = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "1" },
  paths: {
    "/orders/{id}": {
      parameters: [{ $ref: "#/components/parameters/Id" }],
      get: {
        operationId: "getOrder",
        summary: "Get an order",
        parameters: [
          { name: "fields", in: "query", schema: { type: "array", items: { type: "string" } } },
          { name: "X-Trace", in: "header", schema: { type: "string" } },
          { name: "Authorization", in: "header", schema: { type: "string" } },
          { name: "session", in: "cookie", schema: { type: "string" } },
        ],
      },
      put: {
        operationId: "putOrder",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Order" } } },
        },
      },
    },
    "/broken": { get: { operationId: "broken", parameters: [{ $ref: "#/components/parameters/None" }] } },
    "/unnamed": { delete: {} },
  },
  components: {
    parameters: { Id: { name: "id", in: "path", required: true, schema: { type: "string" } } },
    schemas: {
      Order: {
        type: "object",
        properties: { note: { type: "string" }, parts: { $ref: "#/components/schemas/Parts" } },
      },
      Parts: { type: "array", items: { $ref: "#/components/schemas/Order" } },
    },
  },
};

const fields = {
  name: "Shop",
  kind: "http" as const,
  url: "https://93.184.216.34/api/",
  auth: { type: "none" as const },
  enabled: true,
  caller_context: false,
  bind: {},
  allowed_tools: null,
  mode: "auto" as const,
  tool_modes: {},
  trusted_tools: [],
  remember: "conversation" as const,
  limits: { timeout_seconds: 5, max_result_characters: 20_000 },
  dry_run: false,
};
const create = (extra: object): Promise<StoredToolServer> =>
  newToolServer({ tenantId: "t", userId: "u", baseUrl: "http://localhost" }, { ...fields, ...extra });
const find = ({ tools }: StoredToolServer, name: string) => tools.find((tool) => tool.name === name) as ServerTool;

it("server of HTTP actions has an approved tool for each operation of an OpenAPI document, with its references replaced", async () => {
  const server = await create({ openapi });
  expect(server.tools.map(({ name, status }) => [name, status])).toEqual([
    ["getOrder", "approved"],
    ["putOrder", "approved"],
    ["delete__unnamed", "approved"],
  ]);
  expect(server.skipped_tools).toEqual([{ name: "GET /broken", reason: expect.stringContaining("does not exist") }]);
  expect(find(server, "putOrder")).toMatchObject({
    hints: { read_only: false, destructive: true },
    input_schema: {
      properties: {
        id: { type: "string" },
        body: {
          type: "object",
          properties: { note: { type: "string" }, parts: { type: "array", items: {} } },
        },
      },
      required: ["id", "body"],
    },
  });
  expect(find(server, "getOrder").hints).toEqual({ read_only: true, destructive: false });
  const chosen = await create({ openapi, allowed_tools: ["getOrder"] });
  expect(chosen.tools.map(({ name }) => name)).toEqual(["getOrder"]);
});

it.each([
  ["a Swagger 2 document", { openapi: { swagger: "2.0", paths: {} } }],
  ["no actions", {}],
  [
    "both kinds of actions",
    { openapi, actions: [{ name: "a", description: "", method: "GET", path: "/", input_schema: {} }] },
  ],
  ["actions for an MCP server", { kind: "mcp", openapi }],
])("server of HTTP actions is rejected with %s", async (_, extra) => {
  await expect(create(extra)).rejects.toMatchObject({ code: "validation_failed" });
});

it("server of HTTP actions takes at most 64 operations of a document, and names the reason for those that it skips", async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`/p${i}`, { get: { operationId: `op${i}` } }]),
  );
  const server = await create({ openapi: { ...openapi, paths } });
  expect([server.tools.length, server.skipped_tools[0]?.reason]).toEqual([
    64,
    expect.stringContaining("allowed_tools"),
  ]);
});

describe("toActionRequest()", () => {
  const requestOf = async (name: string, input: Record<string, unknown>) => {
    const { request } = find(await create({ openapi }), name);
    return toActionRequest("https://shop.example/api/", request as NonNullable<ServerTool["request"]>, input);
  };

  it("toActionRequest() puts arguments into path, query, headers and body", async () => {
    const input = { id: "a/../b?c", fields: ["x", "y&z"], "X-Trace": "t Host: evil", session: "s" };
    expect(await requestOf("getOrder", input)).toEqual({
      method: "GET",
      url: "https://shop.example/api/orders/a%2F..%2Fb%3Fc?fields=x&fields=y%26z",
      headers: { "x-trace": "t Host: evil" },
      body: undefined,
    });
    const put = await requestOf("putOrder", { id: 7, body: { note: "hi" } });
    expect(put).toMatchObject({ url: "https://shop.example/api/orders/7", body: '{"note":"hi"}' });
  });

  it.each(["t\r\nHost: evil", "ad\u00e4", "ada\u200b", " ada", "ada "])(
    "toActionRequest() refuses the header %j, which would arrive as another value",
    async (value) => {
      await expect(requestOf("getOrder", { id: 1, "X-Trace": value })).rejects.toThrow(
        "The argument X-Trace is invalid",
      );
    },
  );

  it.each(["", ".", "..", "\ud800", null])(
    "toActionRequest() refuses the path argument %j, which would name another path",
    async (id) => {
      await expect(requestOf("getOrder", { id })).rejects.toThrow("The argument id is invalid");
    },
  );

  it("toActionRequest() lets no argument replace a header that authenticates the request", async () => {
    const { headers } = await requestOf("getOrder", { id: 1, Authorization: "Bearer other" });
    expect(headers).toEqual({});
  });
});

describe("callAction()", () => {
  let server: Server;
  let url: string;
  let reply: { status: number; body: string };
  const received: string[] = [];

  beforeAll(async () => {
    vi.stubEnv("TOOL_PRIVATE_RANGES", "127.0.0.0/8");
    server = createServer(async (request, response) => {
      received.push(`${request.method} ${request.url} ${await readText(request)}`);
      response.writeHead(reply.status, { "content-type": "application/json" }).end(reply.body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  beforeEach(() => void received.splice(0));
  afterAll(() => {
    vi.unstubAllEnvs();
    server.close();
  });

  const action = {
    name: "search",
    description: "",
    method: "GET",
    path: "/search",
    input_schema: { properties: { q: {} } },
  };
  const call = async (extra: object, input: Record<string, unknown>) => {
    const stored = await create({
      url,
      actions: [{ ...action, ...extra }],
      response_pointers: { search: ["/items/0/name", "/none"] },
    });
    return callAction(stored, stored.tools[0] as ServerTool, input, {}, new AbortController().signal);
  };

  it("callAction(), which calls an HTTP API as a tool, sends the request that an action without an OpenAPI document describes, and returns only the parts of the response that the pointers name", async () => {
    reply = { status: 200, body: JSON.stringify({ items: [{ name: "Ada", secret: "x" }] }) };
    expect((await call({}, { q: "ä b" })).structuredContent).toEqual({ "/items/0/name": "Ada" });
    await call({ method: "POST" }, { q: "x" });
    expect(received).toEqual(["GET /v1/search?q=%C3%A4+b ", 'POST /v1/search {"q":"x"}']);
  });

  it("callAction() returns an error of the server as a failed result", async () => {
    reply = { status: 404, body: '{"error":"none"}' };
    expect(await call({}, {})).toMatchObject({
      isError: true,
      structuredContent: { status: 404, error: { error: "none" } },
    });
    reply = { status: 200, body: "plain" };
    expect((await call({}, {})).content).toEqual([{ type: "text", text: "200 plain" }]);
  });

  it("callAction() reports an unknown outcome when the server fails during a request that changes data", async () => {
    reply = { status: 503, body: "" };
    await expect(call({ method: "POST" }, {})).rejects.toMatchObject({ isOutcomeUnknown: true });
    expect(await call({}, {})).toMatchObject({ isError: true });
  });
});

it("project() reads only own properties of a response", () => {
  expect(selectPointers({ a: [1, { "b/c": 2 }] }, ["/a/1/b~1c", "/constructor", "/a/length"])).toEqual({
    "/a/1/b~1c": 2,
    "/a/length": 2,
  });
});
