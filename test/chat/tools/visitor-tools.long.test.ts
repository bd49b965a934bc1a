import { createHmac } from "node:crypto";
import { decodeJwt, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { createSite, type Site } from "#test/support/embed/site.ts";
import { streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { createMovableClock } from "#test/support/shifted-clock.ts";
import { type McpServer, startMcpServer, toolDefinition } from "#test/support/tools/mcp-server.ts";

const clock = createMovableClock();
let shiftedMs = 0;
let service: ScriptedService;
let mcp: McpServer;
let admin: Client;
let site: Site;
let server_id: string;

const properties = { customer: { type: "string" }, email: { type: "string" }, order: { type: "string" } };
const findOrderFields = {
  title: "Find your order",
  inputSchema: { type: "object", properties, required: ["customer", "order"] },
};
const serverFields = {
  ...{ name: "Shop", mode: "auto", trusted_tools: ["find_order", "list_shops"], caller_context: true },
  bind: { customer: "visitor.sub", email: "visitor.email" },
};

beforeAll(async () => {
  [mcp, service] = await Promise.all([
    startMcpServer(),
    startScriptedService({
      env: { EMBED_SESSION_SECONDS: "86400", RATE_LIMIT_EMBED_SESSION: "1000" },
      nodeOptions: [clock.nodeOption],
    }),
  ]);
  mcp.tools = [toolDefinition("find_order", findOrderFields), toolDefinition("list_shops"), toolDefinition("refund")];
  admin = new Client(newIdentity(), service.baseUrl);
  server_id = (await admin.post("/v1/tools/servers", { ...serverFields, url: mcp.url })).body.id;
  site = await createSite(admin, {
    persona: { tier: "THINKING" },
    tools: [{ server_id, tools: ["find_order"] }],
  });
});
afterAll(() => Promise.all([service?.stop(), mcp?.stop()]));

interface TokenOptions {
  readonly secret?: string;
  readonly claims?: object;
  readonly seconds?: number;
}

/** Returns the token of the website for a visitor. */
function sign(sub: string, { secret, claims = {}, seconds = 3_600 }: TokenOptions = {}): Promise<string> {
  const key = new TextEncoder().encode(`token:${secret ?? site.key.visitor_secret}`);
  const exp = Math.floor((Date.now() + shiftedMs) / 1_000) + seconds;
  return new SignJWT({ email: `${sub}@example.com`, ...claims })
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(sub)
    .setExpirationTime(exp)
    .sign(key);
}

const startAs = async (sub: string, options?: TokenOptions) =>
  (await site.startSession({ visitor: { id: sub, token: await sign(sub, options) } })).body.id as string;

/** Asks a question, lets the model call a tool if it is offered, and returns the tools, the calls and what model and visitor read. */
async function ask(session: string, [tool, input]: readonly [string, object | string], shop = site, prefix = "shop") {
  mcp.requests.length = 0;
  service.upstream.requests.length = 0;
  const scripts = [
    streamToolCalls([`${prefix}__${tool}`, typeof input === "string" ? input : JSON.stringify(input)]),
    streamText(["Done."]),
  ];
  service.upstream.script = (response, request) =>
    (request.body.tools ? (scripts.shift() ?? streamText(["Enough."])) : streamText(["Done."]))(response, request);
  const frames = await shop.chat(session, "Where is my order 4711?");
  const bodies = service.upstream.requests.map(({ body }) => body);
  const calls = mcp.requests.filter(({ message }) => message?.method === "tools/call");
  return {
    offered: bodies.flatMap(({ tools = [] }) =>
      tools.map((each: { function: { name: string } }) => each.function.name),
    ),
    sent: JSON.stringify(bodies),
    inputs: calls.map(({ message }) => message.params.arguments),
    context: calls.map(({ headers }) => decodeJwt(String(headers["switchboard-caller"])))[0],
    shown: JSON.stringify(frames),
  };
}

async function setApprovals(tool_execution: "always" | "never"): Promise<void> {
  const { body: policy, headers } = await admin.get("/v1/policy");
  const { version: _, updated_at: __, updated_by: ___, ...rules } = policy;
  const changed = { ...rules, approvals: { ...rules.approvals, tool_execution } };
  const { status } = await admin.put("/v1/policy", changed, { "if-match": headers.get("etag") ?? "" });
  expect(status).toBe(200);
}

const findOrder = ["find_order", { order: "4711" }] as const;

it("signed visitors call a tool as themselves, and neither the model nor their page sees with which id", async () => {
  for (const sub of ["ada", "bob"]) {
    const { offered, sent, inputs, context, shown } = await ask(await startAs(sub), findOrder);
    expect(new Set(offered.filter((name: string) => name.startsWith("shop__")))).toEqual(new Set(["shop__find_order"]));
    expect(inputs).toEqual([{ order: "4711", customer: sub, email: `${sub}@example.com` }]);
    expect(context).toMatchObject({ kind: "visitor", visitor_sub: sub, email: `${sub}@example.com`, groups: [] });
    const definition = sent.slice(sent.indexOf('"name":"shop__find_order"'));
    expect(definition.slice(0, 400)).not.toContain("customer");
    expect(shown).toContain("Done.");
    expect(shown).not.toMatch(/customer|find_order|@example/);
  }
});

it("visitor gets no tool for signed visitors with an id alone, with its plain signature, and with no id", async () => {
  const signature = createHmac("sha256", site.key.visitor_secret).update("ada").digest("hex");
  for (const visitor of [{ id: "ada" }, { id: "ada", signature }, undefined]) {
    const { status, body } = await site.startSession({ ...(visitor && { visitor }) });
    expect(status).toBe(201);
    const { sent, inputs } = await ask(body.id, findOrder);
    expect(sent).not.toContain("shop__");
    expect(inputs).toEqual([]);
  }
});

it("visitor gets tools while the token is valid, and again after the page has sent a new one", async () => {
  const session = await startAs("cleo", { seconds: 600 });
  expect((await ask(session, findOrder)).inputs).toHaveLength(1);
  shiftedMs += 601_000;
  clock.advance(601_000);
  expect((await ask(session, findOrder)).sent).not.toContain("shop__");
  const expired = await site.startSession({ visitor: { id: "cleo", token: await sign("cleo", { seconds: -1 }) } });
  expect(expired.body.code).toBe("visitor_not_verified");
  const token = await sign("cleo", { seconds: 1_200, claims: { email: "new@example.com" } });
  expect((await site.startSession({ session_id: session, visitor: { id: "cleo", token } })).status).toBe(200);
  expect((await ask(session, findOrder)).inputs).toMatchObject([{ customer: "cleo", email: "new@example.com" }]);
});

it("session that a page started for a claimed id does not become that of the visitor whom a token names", async () => {
  const { body: claimed } = await site.startSession({ visitor: { id: "ada" } });
  const visitor = { id: "ada", token: await sign("ada") };
  expect((await site.startSession({ session_id: claimed.id, visitor })).body.code).toBe("not_found");
  expect((await ask(claimed.id, findOrder)).inputs).toEqual([]);
});

it("visitor is asked before a call after one with an unknown outcome", async () => {
  const session = await startAs("finn");
  const { intercept } = mcp;
  mcp.intercept = ({ message }, response) => {
    if (message?.method !== "tools/call") return false;
    response.destroy();
    return true;
  };
  expect((await ask(session, findOrder)).sent).toContain("It is not known whether the call took effect");
  mcp.intercept = intercept;
  const { inputs, shown } = await ask(session, findOrder);
  expect(inputs).toEqual([]);
  expect(shown).toContain('"is_repeated":true');
});

it("arguments that are nested too deeply to be written again are refused, and the answer follows", async () => {
  const session = await startAs("gina");
  const order = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
  const { inputs, shown, sent } = await ask(session, ["find_order", `{"order":${order}}`]);
  expect(inputs).toEqual([]);
  expect(shown).toContain("Done.");
  expect(sent).toContain("nested too deeply");
});

it("forged, foreign, unbounded and misdirected tokens start no session", async () => {
  const other = await createSite(admin, { persona: { tier: "THINKING" } });
  const exp = Math.floor(Date.now() / 1_000) + 600;
  const secret = new TextEncoder().encode(`token:${site.key.visitor_secret}`);
  const header = { alg: "HS256" };
  const start = (await sign("ada")).split(".").slice(0, 2).join(".");
  const tokens = [
    await sign("ada", { secret: other.key.visitor_secret }),
    await sign("ada", { secret: "x".repeat(64) }),
    await sign("ada", { seconds: -1 }),
    await sign("ada", { seconds: 86_400 + 120 }),
    await sign("bob"),
    await sign("ada", { claims: { email: 7 } }),
    await sign("ada", { claims: { email: "a".repeat(321) } }),
    new UnsecuredJWT({ sub: "ada", exp }).encode(),
    await new SignJWT({ sub: "ada", exp }).setProtectedHeader({ alg: "HS512" }).sign(secret),
    await new SignJWT({ sub: "ada" }).setProtectedHeader(header).sign(secret),
    await new SignJWT({ exp }).setProtectedHeader(header).sign(secret),
    `${(await sign("ada")).slice(0, -4)}AAAA`,
    // The website signs any id, such as one that a visitor chose as the beginning of a token.
    `${start}.${createHmac("sha256", site.key.visitor_secret).update(start).digest("base64url")}`,
    "x",
    "",
  ];
  for (const token of tokens) {
    const { status, body } = await site.startSession({ visitor: { id: "ada", token } });
    expect([status, body.code]).toEqual([401, "visitor_not_verified"]);
  }
});

it("argument that names another customer is refused, also when a text asks for it", async () => {
  const session = await startAs("ada");
  for (const input of [{ order: "4711", customer: "bob" }, { order: "4711", customer: "ada" }, { customer: "bob" }]) {
    const { inputs, sent } = await ask(session, ["find_order", input]);
    expect(inputs).toEqual([]);
    expect(sent).toMatch(/The service sets customer|must have order/);
  }
});

it("tools for anyone are offered to all visitors, but those that are not named are offered to none", async () => {
  const tools = [{ server_id, tools: ["list_shops"], visitors: "anyone" }];
  const shop = await createSite(admin, { persona: { tier: "THINKING" }, tools });
  const session = await shop.createSession();
  expect((await ask(session, ["list_shops", { text: "near" }], shop)).inputs).toEqual([{ text: "near" }]);
  const refund = await ask(session, ["refund", { text: "4711" }], shop);
  expect([refund.inputs, refund.sent.includes("shop__find_order")]).toEqual([[], false]);
});

it("tool for anyone whose arguments are bound to the visitor since is not called for a visitor without a token", async () => {
  const fields = { ...serverFields, name: "Late", bind: {}, url: mcp.url };
  const { body: late } = await admin.post("/v1/tools/servers", fields);
  const tools = [{ server_id: late.id, tools: ["find_order"], visitors: "anyone" }];
  const shop = await createSite(admin, { persona: { tier: "THINKING" }, tools });
  expect((await admin.patch(`/v1/tools/servers/${late.id}`, { bind: serverFields.bind })).status).toBe(200);
  const { inputs, sent } = await ask(await shop.createSession(), findOrder, shop, "late");
  expect(inputs).toEqual([]);
  expect(sent).toContain("The tool needs customer (visitor.sub)");
});

it("embed key gives tools of one server to all visitors, and others of it to signed ones", async () => {
  const tools = [
    { server_id, tools: ["list_shops"], visitors: "anyone" },
    { server_id, tools: ["find_order"] },
  ];
  const shop = await createSite(admin, { persona: { tier: "THINKING" }, tools });
  const session = await shop.createSession();
  expect((await ask(session, ["list_shops", {}], shop)).inputs).toEqual([{}]);
  expect((await ask(session, findOrder, shop)).inputs).toEqual([]);
  const token = await sign("ada", { secret: shop.key.visitor_secret });
  const { body: signed } = await shop.startSession({ visitor: { id: "ada", token } });
  expect((await ask(signed.id, findOrder, shop)).inputs).toMatchObject([{ customer: "ada" }]);
});

it("context of a visitor who only claims an id, or whose token has expired, does not name the one whom a token named", async () => {
  const tools = [{ server_id, tools: ["list_shops"], visitors: "anyone" }];
  const shop = await createSite(admin, { persona: { tier: "THINKING" }, tools });
  const contextOf = async (session: string) => (await ask(session, ["list_shops", {}], shop)).context;
  const token = await sign("ada", { secret: shop.key.visitor_secret, seconds: 600 });
  const { body: signed } = await shop.startSession({ visitor: { id: "ada", token } });
  const ada = await contextOf(signed.id);
  expect(ada).toMatchObject({ visitor_sub: "ada" });
  const { body: claimed } = await shop.startSession({ visitor: { id: "ada" } });
  const unsigned = [await contextOf(claimed.id), await contextOf(await shop.createSession())];
  shiftedMs += 601_000;
  clock.advance(601_000);
  unsigned.push(await contextOf(signed.id));
  expect(unsigned).toMatchObject(unsigned.map(() => ({ kind: "visitor", visitor_sub: null, email: null })));
  expect(new Set([ada, ...unsigned].map((context) => context?.sub)).size).toBe(4);
});

it("embed key names only tools that no person approves, for callers who are known, of servers that exist", async () => {
  const fields = { ...serverFields, name: "Staff", bind: { customer: "user.sub" }, url: mcp.url };
  const { body: staff } = await admin.post("/v1/tools/servers", fields);
  const { body: strict } = await admin.post("/v1/tools/servers", { ...fields, name: "Strict", mode: "approve" });
  for (const tools of [
    [{ server_id, tools: ["find_order"], visitors: "anyone" }],
    [{ server_id: staff.id, tools: ["find_order"] }],
    [{ server_id: strict.id, tools: ["refund"] }],
    [{ server_id, tools: ["find_order", "unknown"] }],
    [{ server_id: "0190b1c2-0000-7000-8000-000000000000", tools: ["find_order"] }],
    [{ server_id, tools: [] }],
  ]) {
    const { status, body } = await admin.patch(`/v1/tenant/embed-keys/${site.key.id}`, { tools });
    expect([status, body.code]).toEqual([400, "validation_failed"]);
  }
});

it("tool that asks a question, that a person has to approve by now, or that the policy subjects to approval is not executed for a visitor", async () => {
  const session = await startAs("dora");
  const answer = mcp.call;
  mcp.call = () => ({
    resultType: "input_required",
    inputRequests: {
      a: { method: "elicitation/create", params: { mode: "form", message: "Sure?", requestedSchema: {} } },
    },
    requestState: "s",
  });
  expect((await ask(session, findOrder)).shown).toContain("Done.");
  mcp.call = answer;
  await setApprovals("always");
  const refusal = "which visitors of a website cannot request";
  await expect.poll(async () => (await ask(session, findOrder)).sent, { interval: 500 }).toContain(refusal);
  expect((await ask(session, findOrder)).inputs).toEqual([]);
  await setApprovals("never");
  await admin.patch(`/v1/tools/servers/${server_id}`, { tool_modes: { find_order: "approve" } });
  expect((await ask(session, findOrder)).sent).not.toContain("shop__find_order");
});
