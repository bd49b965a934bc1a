import { SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { Client, newIdentity, type ReceivedFrame, readFrames } from "#test/support/client.ts";
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

const address = { type: "object", properties: { city: { type: "string" } } };
const cancelFields = {
  title: "Cancel an order",
  inputSchema: {
    type: "object",
    properties: {
      customer: { type: "string", title: "Customer" },
      order_id: { type: "string" },
      refund: { type: "boolean", title: "Refund the price" },
      address,
    },
    required: ["customer", "order_id"],
  },
};

beforeAll(async () => {
  [mcp, service] = await Promise.all([
    startMcpServer(),
    startScriptedService({
      env: { EMBED_SESSION_SECONDS: "86400", RATE_LIMIT_EMBED_SESSION: "1000" },
      nodeOptions: [clock.nodeOption],
    }),
  ]);
  mcp.tools = [toolDefinition("cancel_order", cancelFields), toolDefinition("approve_credit"), toolDefinition("shops")];
  admin = new Client(newIdentity(), service.baseUrl);
  const fields = { name: "ERP", mode: "confirm", tool_modes: { approve_credit: "approve" }, trusted_tools: ["shops"] };
  server_id = (await admin.post("/v1/tools/servers", { ...fields, bind: { customer: "visitor.sub" }, url: mcp.url }))
    .body.id;
  site = await createSite(admin, {
    persona: { tier: "THINKING" },
    tools: [
      { server_id, tools: ["cancel_order"] },
      { server_id, tools: ["shops"], visitors: "anyone" },
    ],
    handover: {},
  });
});
afterAll(() => Promise.all([service?.stop(), mcp?.stop()]));
beforeEach(() => {
  mcp.requests.length = 0;
  service.upstream.requests.length = 0;
});

async function startAs(sub: string, shop = site): Promise<string> {
  const exp = Math.floor((Date.now() + shiftedMs) / 1_000) + 3_600;
  const token = await new SignJWT({ email: `${sub}@example.com` })
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(sub)
    .setExpirationTime(exp)
    .sign(new TextEncoder().encode(`token:${shop.key.visitor_secret}`));
  return (await shop.startSession({ visitor: { id: sub, token } })).body.id;
}

const order = { order_id: "4711", refund: true, address: { city: "Kiel" } };

/** Lets the model call a tool once, and then answer. */
function script(input: object = order, tool = "erp__cancel_order"): void {
  const scripts = [streamToolCalls([tool, JSON.stringify(input)]), streamText(["All done."])];
  service.upstream.script = (response, request) =>
    (request.body.tools ? (scripts.shift() ?? streamText(["Enough."])) : streamText(["Done."]))(response, request);
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into cards of any shape
const cardsOf = (frames: readonly ReceivedFrame[]): any[] =>
  frames.filter(({ event }) => event === "tool_card").map(({ data }) => data);

const calls = () => mcp.requests.filter(({ message }) => message?.method === "tools/call");
const inputs = () => calls().map(({ message }) => message.params.arguments);

/** Sends a message after which the visitor is asked. Returns the frames and the card. */
async function ask(session: string, shop = site) {
  const frames = await shop.chat(session, "Cancel my order 4711.");
  const card = cardsOf(frames).at(-1);
  return { frames, card, lastId: frames.at(-1)?.id as string };
}

const confirm = (session: string, approval: string, body: object, shop = site, headers = {}) =>
  shop.request("POST", `/v1/embed/sessions/${session}/approvals/${approval}/confirm`, body, headers);

async function resume(session: string, messageId: string, lastId?: string, shop = site): Promise<ReceivedFrame[]> {
  const path = `/v1/embed/sessions/${session}/messages/${messageId}/stream`;
  return Array.fromAsync(
    readFrames(await shop.fetch("GET", path, undefined, lastId ? { "last-event-id": lastId } : {})),
  );
}

it("call that needs a consent waits for the visitor, and runs as the visitor after the consent", async () => {
  const session = await startAs("ada");
  script();
  const { frames, card, lastId } = await ask(session);
  expect(card).toMatchObject({ status: "waiting", title: "Cancel an order" });
  expect(card.arguments).toEqual([
    { label: "Order id", value: "4711" },
    { label: "Refund the price", value: true },
    { label: "Address: City", value: "Kiel" },
    { label: "Customer", value: null, bound: "visitor.sub" },
  ]);
  expect(card).not.toHaveProperty("is_repeated");
  expect(JSON.stringify(frames)).not.toMatch(/ERP|erp__|ada|"done"/);
  expect(calls()).toEqual([]);
  const shown = (await site.getSession(session)).body;
  expect(shown.messages.at(-1)).toMatchObject({ status: "streaming", message_id: card.message_id });

  const replayed = await resume(session, card.message_id);
  expect(cardsOf(replayed)).toEqual([card]);
  expect((await confirm(session, card.approval_id, { decision: "approve" })).status).toBe(200);
  const rest = await resume(session, card.message_id, lastId);
  expect(cardsOf(rest).map(({ status }) => status)).toEqual(["running", "done"]);
  expect(rest.at(-1)?.event).toBe("done");
  expect(JSON.stringify(rest)).not.toMatch(/ERP|erp__|Kiel|ada|"result"/);
  expect(inputs()).toEqual([{ ...order, customer: "ada" }]);
  const [, answer] = (await site.getSession(session)).body.messages;
  expect(answer.tool_cards).toEqual([{ title: "Cancel an order", status: "done" }]);
  const sessions = (await admin.get(`/v1/tenant/embed-keys/${site.key.id}/sessions`)).body.sessions;
  const { body: approval } = await admin.get(`/v1/approvals/${card.approval_id}`);
  const { visitor_id } = sessions.find(({ last_question }: { last_question: string }) =>
    last_question.includes("4711"),
  );
  expect(approval).toMatchObject({ status: "approved", requested_by: visitor_id, decided_by: visitor_id });
  expect(approval).not.toHaveProperty("remember");
  expect(approval.result).toEqual({ status: "done" });
});

it("model is told that the visitor declined, and nothing runs", async () => {
  const session = await startAs("bob");
  script();
  const { card, lastId } = await ask(session);
  expect((await confirm(session, card.approval_id, { decision: "deny" })).body).toEqual({
    id: card.approval_id,
    status: "denied",
  });
  const rest = await resume(session, card.message_id, lastId);
  expect(cardsOf(rest).map(({ status }) => status)).toEqual(["declined"]);
  expect(calls()).toEqual([]);
  expect(JSON.stringify(service.upstream.requests.at(-1)?.body.messages)).toContain("denied this tool call");
  const [, answer] = (await site.getSession(session)).body.messages;
  expect(answer).toMatchObject({ tool_cards: [{ title: "Cancel an order", status: "declined" }], status: "complete" });
  expect((await confirm(session, card.approval_id, { decision: "approve" })).status).toBe(409);
});

it("consent that is sent twice at once, with and without an idempotency key, runs the call once", async () => {
  const session = await startAs("cleo");
  script();
  const { card, lastId } = await ask(session);
  const headers = { "idempotency-key": "twice" };
  const sent = [{}, headers, headers, {}].map((each) =>
    confirm(session, card.approval_id, { decision: "approve" }, site, each),
  );
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await resume(session, card.message_id, lastId)).at(-1)?.event).toBe("done");
  const again = await confirm(session, card.approval_id, { decision: "approve" }, site, headers);
  expect(again.body).toEqual({ id: card.approval_id, status: "approved" });
  expect(calls()).toHaveLength(1);
});

it("other visitors, sessions, websites and users cannot answer for the visitor who is asked", async () => {
  const session = await startAs("dora");
  script();
  const { card, lastId } = await ask(session);
  const approve = { decision: "approve" };
  const others = [await startAs("eve"), await site.createSession(), await startAs("dora")];
  for (const other of others) expect((await confirm(other, card.approval_id, approve)).body.code).toBe("not_found");
  const shop = await createSite(admin, { tools: [{ server_id, tools: ["cancel_order"] }] });
  for (const id of [session, await startAs("dora", shop)]) {
    expect((await confirm(id, card.approval_id, approve, shop)).body.code).toBe("not_found");
  }
  expect((await confirm(`${session.slice(0, -4)}AAAA`, card.approval_id, approve)).body.code).toBe("not_found");
  for (const path of ["decide", "confirm", "cancel"]) {
    const { status } = await admin.post(`/v1/approvals/${card.approval_id}/${path}`, path === "cancel" ? {} : approve);
    expect(status).toBe(403);
  }
  const edits = [{ params: { order_id: "1" } }, { customer: "eve" }, { remember: "always" }];
  for (const edit of edits) {
    expect((await confirm(session, card.approval_id, { ...approve, ...edit })).body.code).toBe("validation_failed");
  }
  expect(calls()).toEqual([]);
  expect((await confirm(session, card.approval_id, approve)).status).toBe(200);
  expect((await resume(session, card.message_id, lastId)).at(-1)?.event).toBe("done");
  expect(inputs()).toEqual([{ ...order, customer: "dora" }]);
});

it("argument that the service sets is refused before the visitor is asked", async () => {
  const session = await startAs("finn");
  script({ ...order, customer: "ada" });
  const { frames } = await ask(session);
  expect(cardsOf(frames).map(({ status }) => status)).toEqual(["running", "failed"]);
  expect(JSON.stringify(frames)).not.toContain("ada");
  expect(calls()).toEqual([]);
});

it("visitor whose token has expired, or whose key lost the tool, can only decline", async () => {
  const shop = await createSite(admin, { persona: { tier: "THINKING" }, tools: site.key.tools });
  for (const where of [shop, site]) {
    const session = await startAs("gina", where);
    script();
    const { card, lastId } = await ask(session, where);
    if (where === shop) await admin.patch(`/v1/tenant/embed-keys/${shop.key.id}`, { tools: site.key.tools.slice(1) });
    else {
      shiftedMs += 3_601_000;
      clock.advance(3_601_000);
    }
    const answer = () => confirm(session, card.approval_id, { decision: "approve" }, where);
    await expect.poll(async () => (await answer()).body.code).toBe("forbidden");
    expect((await confirm(session, card.approval_id, { decision: "deny" }, where)).status).toBe(200);
    expect((await resume(session, card.message_id, lastId, where)).at(-1)?.event).toBe("done");
  }
  expect(calls()).toEqual([]);
});

it("question to a visitor expires like one to a user, and ends with a stopped answer", async () => {
  const session = await startAs("hana");
  script();
  const stopped = (await ask(session)).card;
  const path = `/v1/embed/sessions/${session}/messages/${stopped.message_id}/stop`;
  expect((await site.request("POST", path)).status).toBe(202);
  expect((await confirm(session, stopped.approval_id, { decision: "approve" })).body.code).toBe("conflict");
  const { messages } = (await site.getSession(session)).body;
  expect(messages.at(-1)).toMatchObject({
    status: "interrupted",
    tool_cards: [{ title: "Cancel an order", status: "declined" }],
  });
  script();
  const expired = (await ask(session)).card;
  shiftedMs += 12 * 3_600_000 + 1_000;
  clock.advance(12 * 3_600_000 + 1_000);
  const late = await confirm(session, expired.approval_id, { decision: "deny" });
  expect(late.body.code).toBe("conflict");
  expect(calls()).toEqual([]);
});

it("visitor can no longer agree while a person has the session, also to a call for an earlier question", async () => {
  const session = await startAs("ida");
  script();
  const { card } = await ask(session);
  expect((await site.chat(session, "When are you open?")).at(-1)?.event).toBe("done");
  await site.request("PUT", `/v1/embed/sessions/${session}/handover`, {});
  const { handovers } = (await admin.get("/v1/handovers")).body;
  await admin.patch(`/v1/handovers/${handovers.at(-1).id}`, { status: "claimed" });
  const { status, body } = await confirm(session, card.approval_id, { decision: "approve" });
  expect([status, body.code]).toEqual([409, "conflict"]);
  expect(calls()).toEqual([]);
});

it("repetition of a call whose outcome is unknown is told to the visitor", async () => {
  const session = await startAs("jan");
  const { intercept } = mcp;
  mcp.intercept = ({ message }, response) => {
    if (message?.method !== "tools/call") return false;
    response.destroy();
    return true;
  };
  script();
  const { card, lastId } = await ask(session);
  await confirm(session, card.approval_id, { decision: "approve" });
  expect(cardsOf(await resume(session, card.message_id, lastId)).at(-1)).toMatchObject({ status: "unknown" });
  mcp.intercept = intercept;
  script();
  expect((await ask(session)).card).toMatchObject({ status: "waiting", is_repeated: true });
});

it("visitor without a token is neither offered nor asked about a tool for signed visitors", async () => {
  for (const visitor of [undefined, { id: "ada" }]) {
    const { body } = await site.startSession({ ...(visitor && { visitor }) });
    script();
    const frames = await site.chat(body.id, "Cancel my order 4711.");
    expect(cardsOf(frames)).toEqual([]);
    expect(JSON.stringify(service.upstream.requests.map(({ body: sent }) => sent.tools))).not.toContain("cancel_order");
  }
  script({ text: "near" }, "erp__shops");
  const session = await site.createSession();
  expect(cardsOf(await site.chat(session, "Where are you?"))).toMatchObject([{ status: "waiting", title: "Shops" }]);
});

it("questions to a visitor are deleted with the session", async () => {
  const session = await startAs("kim");
  script();
  const { card } = await ask(session);
  const { sessions } = (await admin.get(`/v1/tenant/embed-keys/${site.key.id}/sessions`)).body;
  const path = `/v1/tenant/embed-keys/${site.key.id}/sessions/${sessions[0].id}`;
  expect((await admin.get(`/v1/approvals/${card.approval_id}`)).status).toBe(200);
  expect((await admin.delete(path)).status).toBe(204);
  await expect.poll(async () => (await admin.get(`/v1/approvals/${card.approval_id}`)).status).toBe(404);
});
