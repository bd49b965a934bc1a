import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { Client } from "#test/support/client.ts";

const client = new Client();

interface RawResponse {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request with a path as it is, which `fetch` would normalize. */
function sendRaw(path: string, method = "GET", body = "", headers: OutgoingHttpHeaders = {}): Promise<RawResponse> {
  const { hostname, port } = new URL(client.baseUrl);
  const all = { ...client.headers, ...headers, ...(body && { "content-length": Buffer.byteLength(body) }) };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers: all }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const { statusCode: status } = response;
        resolve({ status, headers: response.headers, text: Buffer.concat(chunks).toString() });
      });
    });
    sent.on("error", reject).end(body);
  });
}

const json = { "content-type": "application/json" };

it.each(["/v1/./conversations", "/v1/nothing", "/v1/conversations/a/b/c", "/nothing", "/v2/conversations"])(
  "request with a path that matches no operation is answered with 404 and a problem document: %s",
  async (path) => {
    for (const [method, body] of [
      ["GET", ""],
      ["POST", '{"title":"x"}'],
      ["POST", "not JSON"],
      ["PUT", "[1]"],
      ["PATCH", '"x"'],
      ["DELETE", '{"a":1}'],
    ] as const) {
      const { status, headers } = await sendRaw(path, method, body, json);
      expect([path, method, status, headers["content-type"]]).toEqual([path, method, 404, "application/problem+json"]);
    }
  },
);

it.each(["/openai/v1/assistants", "/openai/v1/files", "/openai/v1/engines/x/completions", "/openai/v1/nothing"])(
  "request of an OpenAI client with a path that matches no operation is answered with 404 in its format: %s",
  async (path) => {
    const { status, text } = await sendRaw(path, "POST", '{"model":"m"}', json);
    expect([status, JSON.parse(text).error.message]).toEqual([404, expect.stringMatching(/^No route has this method/)]);
  },
);

describe("path with superfluous slashes", () => {
  it.each(["/v1/conversations/", "/v1/conversations?limit=1"])("of an operation is served: %s", async (path) => {
    expect((await sendRaw(path)).status).toBe(200);
  });

  it.each([
    ["//v1/conversations?limit=1&cursor=a%20b", "/v1/conversations?limit=1&cursor=a+b"],
    ["/v1//conversations//", "/v1/conversations"],
    ["/v1/runtime/chat/", "/v1/runtime/chat"],
    ["/v1//runtime/chat", "/v1/runtime/chat"],
    ["/openai/v1/chat/completions/", "/openai/v1/chat/completions"],
    ["/openai/v1//chat/completions", "/openai/v1/chat/completions"],
    ["//openai/v1/messages", "/openai/v1/messages"],
    ["/openai/v1/responses/compact/", "/openai/v1/responses/compact"],
    ["/mcp/", "/mcp"],
    ["//evil.example/x", "/evil.example/x"],
    ["/\\evil.example/", "/\\evil.example"],
  ])("is redirected to the same path without them: %s", async (path, target) => {
    const { status, headers } = await sendRaw(path, "POST", '{"a":1}', json);
    expect([status, headers.location]).toEqual([308, client.baseUrl + target]);
  });

  it("reaches a streaming operation in clients that follow redirects", async () => {
    const conversation_id = await client.createConversation();
    const response = await fetch(`${client.baseUrl}/v1//runtime/chat/`, {
      method: "POST",
      headers: { ...client.headers, ...json },
      body: JSON.stringify({ conversation_id, content: "Hello", tier: "QUICK" }),
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("assistant_message");
  });
});

it("request of HTTP/1.0 without a host is answered", async () => {
  const { hostname, port } = new URL(client.baseUrl);
  const socket = connect(Number(port), hostname);
  const fields = Object.entries(client.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET /v1/me HTTP/1.0\r\n${fields.join("")}\r\n`);
  const response = Buffer.concat(await Array.fromAsync(socket)).toString();
  expect(response).toMatch(/^HTTP\/1\.[01] 200 /);
});

it("repeated query parameter of a request has its last value, as in events of API Gateway", async () => {
  expect((await client.get("/v1/conversations?limit=1&limit=2")).body.limit).toBe(2);
  expect((await client.get("/v1/conversations?limit=2&limit=x")).status).toBe(400);
});
