import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { McpClient } from "#shared/tools/mcp/mcp-client.ts";
import type { CallResumption } from "#shared/tools/mcp/mcp-target.ts";
import type { CallResult } from "#shared/tools/mcp/protocol.ts";
import { type McpServer, startMcpServer } from "#test/support/tools/mcp-server.ts";

let server: McpServer;
const options = { signal: new AbortController().signal, timeoutMs: 5_000, canAsk: true };
const params = { message: "Who?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } };
const ada = { action: "accept", content: { name: "Ada" } };

beforeEach(async () => {
  vi.stubEnv("TOOL_PRIVATE_RANGES", "127.0.0.0/8");
  server = await startMcpServer({ revisions: ["2025-11-25"] });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.stop();
});

const connect = () => new McpClient({ url: server.url, headers: {}, protocolVersion: "2025-11-25" });
const event = (message: object) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
const messages = () => server.requests.map(({ message }) => message);
const callCount = () => messages().filter((message) => message?.method === "tools/call").length;

/** Returns the user's answers to the questions of a result, in the form in which a continued run sends them. */
function answerAll({ inputRequests, requestState }: CallResult, answer: object): CallResumption {
  const keys = Object.keys(inputRequests as object);
  return { inputResponses: Object.fromEntries(keys.map((key) => [key, answer])), requestState: String(requestState) };
}

/** Lets the server ask on the stream of a call, and end the call with the answer. */
function askOnStream(hasEventIds: boolean) {
  let stream: { readonly id: number; readonly response: ServerResponse } | null = null;
  let outcome: string | null = null;
  server.intercept = ({ message, headers }, response) => {
    const isAnswer = message?.id === "q1" && message.method === undefined;
    if (message?.method === "tools/call") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (hasEventIds) response.write("id: e1\ndata:\n\n");
      response.write((hasEventIds ? "id: e2\n" : "") + event({ id: "q1", method: "elicitation/create", params }));
      stream = { id: message.id, response };
    } else if (isAnswer) {
      response.writeHead(202).end();
      outcome = event({
        id: stream?.id,
        result: { content: [{ type: "text", text: JSON.stringify(message.result) }] },
      });
      if (!hasEventIds) stream?.response.end(outcome);
    } else if (headers["last-event-id"]) response.writeHead(200, { "content-type": "text/event-stream" }).end(outcome);
    else return false;
    return true;
  };
}

it("question of a tool server with sessions leaves the tool call open, and the user's answer continues the call without repeating it", async () => {
  askOnStream(true);
  const first = connect();
  const asked = await first.callTool("echo", {}, options);
  await first.close();
  expect(asked).toMatchObject({ resultType: "input_required" });
  expect(Object.values(asked.inputRequests as object)).toEqual([{ method: "elicitation/create", params }]);
  const resumed = connect();
  const result = await resumed.callTool("echo", {}, { ...options, resumption: answerAll(asked, ada) });
  expect(result.content).toEqual([{ type: "text", text: JSON.stringify(ada) }]);
  expect(callCount()).toBe(1);
  expect(server.requests.map(({ headers }) => headers["last-event-id"])).toContain("e2");
  await resumed.close();
  expect(server.requests.filter(({ method }) => method === "DELETE")).toHaveLength(1);
});

it("question of a tool server with sessions is cancelled if the stream of its call cannot be resumed, and the user's answer repeats the call", async () => {
  askOnStream(false);
  const asked = await connect().callTool("echo", {}, options);
  expect(asked).toMatchObject({ resultType: "input_required" });
  const result = await connect().callTool("echo", {}, { ...options, resumption: answerAll(asked, ada) });
  expect(result.content).toEqual([{ type: "text", text: JSON.stringify(ada) }]);
  const answers = messages().flatMap((message) => (message?.id === "q1" ? [message.result] : []));
  expect([callCount(), answers]).toEqual([2, [{ action: "cancel" }, ada]]);
});

it("question of a tool server with sessions can arrive on the session's stream that belongs to no call", async () => {
  let listener: ServerResponse | null = null;
  let call: { readonly id: number; readonly response: ServerResponse } | null = null;
  server.intercept = ({ method, message }, response) => {
    if (method === "GET") {
      listener = response.writeHead(200, { "content-type": "text/event-stream" });
      listener.flushHeaders();
    } else if (message?.method === "tools/call") {
      call = { id: message.id, response };
      listener?.write(event({ id: "q1", method: "elicitation/create", params }));
    } else if (message?.id === "q1") {
      response.writeHead(202).end();
      const result = { content: [{ type: "text", text: JSON.stringify(message.result) }] };
      call?.response.writeHead(200, { "content-type": "text/event-stream" }).end(event({ id: call.id, result }));
    } else return false;
    return true;
  };
  const first = connect();
  const asked = await first.callTool("echo", {}, options);
  await first.close();
  const second = connect();
  const result = await second.callTool("echo", {}, { ...options, resumption: answerAll(asked, ada) });
  await second.close();
  expect(result.content).toEqual([{ type: "text", text: JSON.stringify(ada) }]);
});

it("question of a tool server with sessions is refused if no user can answer it", async () => {
  let refusal: unknown;
  server.intercept = ({ message }, response) => {
    if (message?.method === "tools/call") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(event({ id: "q1", method: "elicitation/create", params }));
      response.end(event({ id: message.id, result: { content: [] } }));
      return true;
    }
    if (message?.id === "q1") refusal = message.error.code;
    return false;
  };
  await connect().callTool("echo", {}, { ...options, canAsk: false });
  await vi.waitFor(() => expect(refusal).toBe(-32_601), { timeout: 180_000 });
  expect(messages().find((message) => message?.method === "initialize").params.capabilities).toEqual({});
});

it("answer to a question of a tool server with sessions fails with an unknown outcome if the server has forgotten the call", async () => {
  askOnStream(true);
  const asked = await connect().callTool("echo", {}, options);
  server.intercept = (_, response) => !!response.writeHead(404).end();
  const call = connect().callTool("echo", {}, { ...options, resumption: answerAll(asked, ada) });
  await expect(call).rejects.toMatchObject({ isOutcomeUnknown: true, message: expect.stringMatching(/forgotten/) });
  expect(callCount()).toBe(1);
});

it("question of a tool server with sessions can be an address to open, after which the call is repeated unless the user refuses (-32042)", async () => {
  const elicitations = [{ mode: "url", elicitationId: "1", url: "https://pay.example/7", message: "Pay first." }];
  let isPaid = false;
  server.intercept = ({ message }, response) => {
    if (message?.method !== "tools/call" || isPaid) return false;
    response.writeHead(200, { "content-type": "application/json" });
    const error = { code: -32_042, message: "Pay first.", data: { elicitations } };
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, error }));
    return true;
  };
  const asked = await connect().callTool("echo", {}, options);
  expect(Object.values(asked.inputRequests as object)).toEqual([
    { method: "elicitation/create", params: elicitations[0] },
  ]);
  await expect(connect().callTool("echo", {}, { ...options, canAsk: false })).rejects.toThrow("Pay first.");
  const refused = { ...options, resumption: answerAll(asked, { action: "decline" }) };
  await expect(connect().callTool("echo", {}, refused)).rejects.toThrow("Pay first.");
  const accepted = { ...options, resumption: answerAll(asked, { action: "accept" }) };
  expect(await connect().callTool("echo", {}, accepted)).toMatchObject({ resultType: "input_required" });
  isPaid = true;
  expect(await connect().callTool("echo", { text: "a" }, accepted)).toMatchObject({ resultType: "complete" });
});
