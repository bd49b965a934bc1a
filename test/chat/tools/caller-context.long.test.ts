import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serviceIdOf } from "#shared/auth/principal.ts";
import { Client, newIdentity, readFrames } from "#test/support/client.ts";
import { streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { createKeyClient } from "#test/support/tenancy/key-client.ts";
import { type McpServer, startMcpServer, toolDefinition } from "#test/support/tools/mcp-server.ts";

let service: ScriptedService;
let mcp: McpServer;
let owner: Client;
const identity = newIdentity();

beforeAll(async () => {
  [mcp, service] = await Promise.all([startMcpServer(), startScriptedService()]);
  mcp.tools = [toolDefinition("refund")];
  owner = new Client(identity, service.baseUrl);
});
afterAll(() => Promise.all([service?.stop(), mcp?.stop()]));

const issuer = () => `${service.baseUrl}/tenants/${identity.tenant}`;
const verify = async (token: unknown, audience: string): Promise<JWTPayload> => {
  const keys = createRemoteJWKSet(new URL("/.well-known/jwks.json", service.baseUrl));
  return (await jwtVerify(String(token), keys, { issuer: issuer(), audience, algorithms: ["ES256"] })).payload;
};

/** Lets the model call one tool with an input, then answer. */
function callOnce(name: string, input: object): void {
  service.upstream.requests.length = 0;
  const scripts = [streamToolCalls([name, JSON.stringify(input)]), streamText(["Done."])];
  service.upstream.script = (response, request) =>
    (request.body.tools ? (scripts.shift() ?? streamText(["Enough."])) : streamText([""]))(response, request);
}

async function createConversation(server_id: string) {
  const { body: persona } = await owner.post("/v1/personas", { name: "Clerk", tool_servers: [{ server_id }] });
  const { body } = await owner.post("/v1/conversations", { title: "Orders", persona_id: persona.id });
  return { conversation_id: body.id, persona_id: persona.id };
}

const createServerOf = async (fields: object) => (await owner.post("/v1/tools/servers", fields)).body;
const mcpFields = { name: "Orders", url: "", mode: "auto", trusted_tools: ["refund"] };
const callHeaders = () =>
  mcp.requests.filter(({ message }) => message?.method === "tools/call").map(({ headers }) => headers);

it("call of a tool names its caller in a signed context that the model never sees, and only for a server that asks for it", async () => {
  const { body: group } = await owner.post("/v1/groups", { name: "Sales" });
  await owner.patch(`/v1/groups/${group.id}`, { member_ids: [identity.user] });
  const server = await createServerOf({ ...mcpFields, url: mcp.url, caller_context: true });
  expect(server.caller_context).toEqual({ issuer: issuer(), audience: mcp.url });
  const ids = await createConversation(server.id);
  callOnce("orders__refund", { text: "4711" });
  // The server returns the header, as some do that echo requests.
  mcp.call = () => ({ content: [{ type: "text", text: JSON.stringify(callHeaders().at(-1)) }] });
  await owner.chat({ conversation_id: ids.conversation_id, content: "Refund 4711", tier: "THINKING" });
  const token = callHeaders().at(-1)?.["switchboard-caller"];
  const claims = await verify(token, mcp.url);
  const { body: messages } = await owner.get(`/v1/conversations/${ids.conversation_id}/messages`);
  const answer = messages.messages.find(({ role }: { role: string }) => role === "assistant");
  expect(claims).toMatchObject({
    ...{ sub: identity.user, tenant_id: identity.tenant, kind: "user", act: null, tool: "refund" },
    ...{ groups: ["Sales"], ...ids, run_id: answer.message_id, approval_id: null },
  });
  expect(claims.jti).toBe(claims.call_id);
  const sent = JSON.stringify(service.upstream.requests.map(({ body }) => body));
  expect(sent).toContain("[secret]");
  expect(sent).not.toContain(String(token));
  await owner.patch(`/v1/tools/servers/${server.id}`, { caller_context: false });
  callOnce("orders__refund", { text: "4711" });
  await owner.chat({ conversation_id: ids.conversation_id, content: "Again", tier: "THINKING" });
  expect(callHeaders().at(-1)).not.toHaveProperty("switchboard-caller");
});

it("signed context of a confirmed call names the confirmation", async () => {
  mcp.call = () => ({ content: [{ type: "text", text: "ok" }] });
  const server = await createServerOf({ ...mcpFields, url: mcp.url, mode: "confirm", caller_context: true });
  const ids = await createConversation(server.id);
  callOnce("orders__refund", { text: "4711" });
  const response = await owner.fetch("/v1/runtime/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ conversation_id: ids.conversation_id, content: "Refund 4711", tier: "THINKING" }),
  });
  let approval = "";
  for await (const { data } of readFrames(response)) {
    if (data.code !== "approval_required") continue;
    approval = data.approval_id;
    await owner.post(`/v1/approvals/${approval}/confirm`, { decision: "approve" });
  }
  expect(await verify(callHeaders().at(-1)?.["switchboard-caller"], mcp.url)).toMatchObject({ approval_id: approval });
});

it("signed context of a program names the user for whom it acts, and the program", async () => {
  mcp.call = () => ({ content: [{ type: "text", text: "ok" }] });
  const server = await createServerOf({ ...mcpFields, url: mcp.url, caller_context: true });
  const tool_servers = [{ server_id: server.id }];
  const { body: persona } = await owner.post("/v1/personas", { name: "Clerk", tool_servers, visibility: "org" });
  const backend = await createKeyClient(owner, { preset: "chat_backend" });
  const customer = backend.onBehalfOf("customer-7");
  const { status, body } = await customer.post("/v1/conversations", { title: "Orders", persona_id: persona.id });
  expect(status).toBe(201);
  callOnce("orders__refund", { text: "4711" });
  await customer.chat({ conversation_id: body.id, content: "Refund 4711", tier: "THINKING" });
  const claims = await verify(callHeaders().at(-1)?.["switchboard-caller"], mcp.url);
  expect(claims).toMatchObject({
    sub: "customer-7",
    kind: "user",
    act: { sub: serviceIdOf(backend.keyId) },
    groups: [],
  });
});

it("signed context goes with actions, whose arguments cannot replace it", async () => {
  const received: IncomingHttpHeaders[] = [];
  const orders = createServer((request, response) => {
    received.push(request.headers);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => orders.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(orders.address() as AddressInfo).port}`;
  try {
    const parameters = ["switchboard-caller", "X-Order"].map((name) => ({
      name,
      in: "header",
      schema: { type: "string" },
    }));
    const openapi = {
      openapi: "3.1.0",
      info: { title: "Orders", version: "1" },
      paths: { "/refunds": { get: { operationId: "refund", parameters, responses: { 200: { description: "OK" } } } } },
    };
    const server = await createServerOf({ ...mcpFields, kind: "http", url, openapi, caller_context: true });
    const { conversation_id } = await createConversation(server.id);
    callOnce("orders__refund", { "switchboard-caller": "forged", "X-Order": "4711" });
    await owner.chat({ conversation_id, content: "Refund 4711", tier: "THINKING" });
    expect(received).toHaveLength(1);
    expect(received[0]?.["x-order"]).toBe("4711");
    expect(await verify(received[0]?.["switchboard-caller"], url)).toMatchObject({ sub: identity.user });
    const { body } = await owner.post(`/v1/tools/servers/${server.id}/call`, { tool: "refund", input: {} });
    expect(body.is_error).toBe(false);
    expect(await verify(received[1]?.["switchboard-caller"], url)).toMatchObject({
      conversation_id: null,
      run_id: null,
    });
  } finally {
    await new Promise((resolve) => orders.close(resolve));
  }
});

it("bound argument is set to the user, is unknown to the model, and is refused from it", async () => {
  const properties = { customer: { type: "string" }, order: { type: "string" } };
  mcp.tools = [
    { ...toolDefinition("refund"), inputSchema: { type: "object", properties, required: ["customer", "order"] } },
  ];
  mcp.call = () => ({ content: [{ type: "text", text: "refunded" }] });
  const server = await createServerOf({ ...mcpFields, url: mcp.url, bind: { customer: "user.sub" } });
  expect(server.bind).toEqual({ customer: "user.sub" });
  const { conversation_id } = await createConversation(server.id);
  const calls = () => mcp.requests.filter(({ message }) => message?.method === "tools/call");
  const ask = async (input: object) => {
    mcp.requests.length = 0;
    callOnce("orders__refund", input);
    await owner.chat({ conversation_id, content: "Refund 4711", tier: "THINKING" });
    return JSON.stringify(service.upstream.requests.map(({ body }) => body));
  };
  const sent = await ask({ order: "4711" });
  expect(calls().map(({ message }) => message?.params)).toMatchObject([
    { arguments: { order: "4711", customer: identity.user } },
  ]);
  expect(sent).toContain('"order":{"type":"string"}');
  expect(sent).not.toContain("customer");
  const refused = await ask({ order: "4711", customer: "eve" });
  expect(refused).toContain("The service sets customer");
  expect(calls()).toEqual([]);
  const tried = { tool: "refund", input: { order: "4711" } };
  expect((await owner.post(`/v1/tools/servers/${server.id}/call`, tried)).body.result).toContain("refunded");
  expect(calls().at(-1)?.message?.params.arguments).toEqual({ order: "4711", customer: identity.user });
  mcp.requests.length = 0;
  const misspelled = await owner.patch(`/v1/tools/servers/${server.id}`, { bind: { Customer: "user.sub" } });
  expect(misspelled.body.errors).toMatchObject([{ path: "bind.Customer", code: "unknown_argument" }]);
  const invalid = await owner.patch(`/v1/tools/servers/${server.id}`, { bind: { customer: "tenant.id" } });
  expect(invalid.status).toBe(400);
  await owner.patch(`/v1/tools/servers/${server.id}`, { bind: {} });
  expect(await ask({ order: "4711", customer: "eve" })).toContain("refunded");
  expect(calls()).toHaveLength(1);
  mcp.tools = [toolDefinition("refund")];
});
