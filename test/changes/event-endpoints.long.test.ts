import { createHmac, createPublicKey, verify } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { createSite } from "#test/support/embed/site.ts";
import { type OtlpCollector, startOtlpCollector } from "#test/support/otlp-collector.ts";
import { createColleague } from "#test/support/people.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { findItemsContaining } from "#test/support/tables/table-contents.ts";
import { Operator, readDeploymentKey } from "#test/support/tenancy/deployment-key.ts";
import { createChannel, hmacHex } from "#test/support/webhooks/channel.ts";

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const contentOf = ({ headers, body }: Received) => `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;

const sign = (secret: string, request: Received) => {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  return `v1,${createHmac("sha256", key).update(contentOf(request)).digest("base64")}`;
};

const signaturesOf = ({ headers }: Received, version: "v1" | "v1a") =>
  String(headers["webhook-signature"])
    .split(" ")
    .filter((signature) => signature.startsWith(`${version},`));

/** Verifies signatures with the public key of an endpoint. */
const verifyWith = (publicKey: string, request: Received) =>
  signaturesOf(request, "v1a").map((signature) => {
    const x = Buffer.from(publicKey.slice("whpk_".length), "base64").toString("base64url");
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    const bytes = Buffer.from(signature.slice("v1a,".length), "base64");
    return verify(null, Buffer.from(contentOf(request)), key, bytes);
  });

describe("event endpoints", () => {
  let service: Switchboard;
  let receiver: Server;
  let receiverUrl: string;
  let client: Client;
  let received: Received[];
  /** Status of a path; others answer 204. A status of 0 leaves the request open. */
  const statusOf = new Map<string, number>();
  /** Time after which a path answers; others answer at once. */
  const delayMsOf = new Map<string, number>();

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const path = String(request.url);
        received.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString() });
        const status = statusOf.get(path) ?? 204;
        if (status === 302) response.setHeader("location", "/elsewhere");
        if (status !== 0) setTimeout(() => response.writeHead(status).end(), delayMsOf.get(path) ?? 0);
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    service = await startSwitchboard();
  });

  beforeEach(() => {
    received = [];
    statusOf.clear();
    delayMsOf.clear();
    client = new Client(newIdentity(), service.baseUrl);
  });

  afterAll(async () => {
    receiver.closeAllConnections();
    receiver.close();
    await service?.stop();
  });

  const create = async (path: string, fields: Record<string, unknown> = {}) => {
    const body = { url: receiverUrl + path, types: ["run.completed"], ...fields };
    const response = await client.post("/v1/event-endpoints", body);
    expect([response.status, response.text]).toEqual([201, response.text]);
    return response.body;
  };

  const at = (path: string) => received.filter((request) => request.path === path);

  const deliveriesOf = async (id: string) =>
    (await client.get(`/v1/event-endpoints/${id}/deliveries`)).body.deliveries as Record<string, unknown>[];

  it("event endpoints get the signed event of an answer once, without its text", async () => {
    const endpoint = await create("/runs");
    expect(endpoint).toMatchObject({ enabled: true, format: "standard", secret: expect.stringMatching(/^whsec_/) });
    const other = await create("/alerts", { types: ["alert.received"] });
    const conversation_id = await client.createConversation();
    const frames = await client.chat({ conversation_id, content: "A secret plan?" });
    await expect.poll(() => at("/runs").length).toBe(1);
    const [request] = at("/runs") as [Received];
    expect(signaturesOf(request, "v1")).toEqual([sign(endpoint.secret, request)]);
    expect(verifyWith(endpoint.public_key, request)).toEqual([true]);
    expect(JSON.parse(request.body)).toMatchObject({
      type: "run.completed",
      data: { conversation_id, message_id: frames[0]?.data.message_id, status: "complete" },
    });
    expect(request.body).not.toContain("secret plan");
    await expect
      .poll(() => deliveriesOf(endpoint.id))
      .toMatchObject([{ status: "delivered", attempts: 1, response_status: 204, payload: request.body }]);
    expect(await deliveriesOf(other.id)).toEqual([]);
    const { text } = await client.get(`/v1/event-endpoints/${endpoint.id}`);
    expect(text).not.toContain('secret"');
  });

  it("event endpoints get what happens right after they were created or their types were changed", async () => {
    const requestApproval = () =>
      client.post("/v1/approvals", { type: "tool_execution", action: { operation: "launch", params: {} } });
    await create("/first", { types: ["approval.requested"] });
    await requestApproval();
    await expect.poll(() => at("/first").length).toBe(1);
    const second = await create("/second", { types: ["approval.requested"] });
    await requestApproval();
    await expect.poll(() => [at("/first").length, at("/second").length]).toEqual([2, 1]);
    await client.patch(`/v1/event-endpoints/${second.id}`, { types: ["approval.decided"] });
    const { body: approval } = await requestApproval();
    await client.post(`/v1/approvals/${approval.id}/cancel`, {});
    await expect.poll(() => [at("/first").length, at("/second").length]).toEqual([3, 2]);
    expect(JSON.parse(at("/second")[1]?.body ?? "").type).toBe("approval.decided");
  });

  it("event usage.settled tells the usage of each answer and of each correction, with the same id after a failed delivery", async () => {
    statusOf.set("/usage", 500);
    const operator = new Operator(readDeploymentKey(service), service.baseUrl);
    const { tenant } = client.identity;
    const created = await operator.post("/v1/admin/tenants", { id: tenant, billing_id: "cus_1" });
    expect(created.body.billing_id).toBe("cus_1");
    const own = await create("/usage", { types: ["usage.settled"] });
    const conversation_id = await client.createConversation();
    const [first] = await client.chat({ conversation_id, content: "Hello" });
    await expect.poll(() => at("/usage").length).toBe(1);
    statusOf.delete("/usage");
    await expect.poll(() => at("/usage").length).toBe(2);
    await expect.poll(() => deliveriesOf(own.id)).toMatchObject([{ status: "delivered" }]);
    const [refused, accepted] = at("/usage");
    expect([accepted?.body, accepted?.headers["webhook-id"]]).toEqual([refused?.body, refused?.headers["webhook-id"]]);
    const { data } = JSON.parse(accepted?.body ?? "");
    expect(data).toMatchObject({ reply_id: first?.data.message_id, user_id: client.identity.user, requests: 1 });
    const day = new Date().toISOString().slice(0, 10);
    const difference = { id: "c1", day, model: "demo", cost_usd: -0.25, reason: "Wrong price" };
    const { body: correction } = await operator.post(`/v1/admin/tenants/${tenant}/usage-corrections`, difference);
    expect(correction.reason).toBe("Wrong price");
    await expect.poll(() => at("/usage").length).toBe(3);
    expect(JSON.parse(at("/usage")[2]?.body ?? "").data).toMatchObject({
      ...{ reply_id: correction.id, requests: 0, total_tokens: 0, cost_usd: -0.25, model: "demo" },
    });
    const { totals } = (await client.get("/v1/usage")).body;
    expect([totals.requests, totals.cost_usd]).toEqual([1, -0.25]);
    expect((await client.get("/v1/audit-events")).text).toContain("Wrong price");
    const again = await operator.post(`/v1/admin/tenants/${tenant}/usage-corrections`, difference);
    expect([again.status, again.body.code]).toEqual([409, "conflict"]);
    expect((await operator.post("/v1/admin/tenants/unknown/usage-corrections", difference)).status).toBe(404);
  });

  it("event endpoints get events of alerts, approvals, feedback and documents", async () => {
    const types = ["alert.received", "alert.resolved", "approval.requested", "approval.decided", "document.ready"];
    await create("/all", { types: [...types, "feedback.created"] });
    const { post, registration } = await createChannel({}, client);
    const raw = JSON.stringify({ title: "Disk full", severity: "high", alert_id: "a1" });
    await post(raw, { "x-webhook-signature": hmacHex(registration.secret ?? "", raw) });
    const approval = (
      await client.post("/v1/approvals", { type: "tool_execution", action: { operation: "launch", params: {} } })
    ).body;
    await client.post(`/v1/approvals/${approval.id}/cancel`, {});
    const { body: collection } = await client.post("/v1/knowledge/collections", { name: "Handbook" });
    await client.post(`/v1/knowledge/collections/${collection.id}/documents`, { title: "Leave", text: "Thirty days." });
    const conversation_id = await client.createConversation();
    const [first] = await client.chat({ conversation_id, content: "Hello" });
    await client.post("/v1/feedback", { conversation_id, message_id: first?.data.message_id, rating: "up" });
    const names = () => at("/all").map(({ body }) => JSON.parse(body).type as string);
    await expect
      .poll(() => [...new Set(names())].toSorted())
      .toEqual(["alert.received", "approval.decided", "approval.requested", "document.ready", "feedback.created"]);
  });

  it("event transcript.requested tells the address for each request of a visitor, at most three of a session with messages", async () => {
    await create("/transcripts", { types: ["transcript.requested"] });
    const site = await createSite(client, { persona: {}, transcripts: true });
    const session = await site.createSession();
    const request = (email: string, of = session) =>
      site.request("POST", `/v1/embed/sessions/${of}/transcript`, { email });
    expect((await request("ann@example.com")).body).toMatchObject({ code: "conflict" });
    await site.chat(session, "Where is my parcel?");
    expect((await request("ann")).body.code).toBe("validation_failed");
    expect((await request("ann@example.com", "unknown")).status).toBe(404);
    for (const email of ["ann@example.com", "ann@example.com", "bob@example.com"]) {
      expect(await request(email)).toMatchObject({ status: 202, body: { email } });
    }
    expect((await request("eve@example.com")).body.code).toBe("conflict");
    await site.chat(session, "And when?");
    await expect.poll(() => at("/transcripts").length).toBe(3);
    const events = at("/transcripts").map(({ body }) => JSON.parse(body).data);
    expect(events.map(({ email }) => email).sort()).toEqual(["ann@example.com", "ann@example.com", "bob@example.com"]);
    const [{ session_id, key_id }] = events;
    const { body } = await client.get(`/v1/tenant/embed-keys/${key_id}/sessions/${session_id}`);
    expect(JSON.stringify(body.messages)).toContain("Where is my parcel?");
    await client.patch(`/v1/tenant/embed-keys/${key_id}`, { transcripts: false });
    expect((await request("ann@example.com")).body.code).toBe("forbidden");
    expect((await site.getSession(session)).body.transcripts).toBeUndefined();
  });

  it("event endpoint that refuses an event receives it again later, and an endpoint that hangs delays no other endpoint", async () => {
    statusOf.set("/down", 500).set("/hangs", 0).set("/moved", 302);
    const [down, hangs, moved] = [await create("/down"), await create("/hangs"), await create("/moved")];
    await create("/up");
    await client.chat({ conversation_id: await client.createConversation(), content: "Hello" });
    await expect.poll(() => at("/up").length).toBe(1);
    await expect.poll(() => at("/down").length).toBe(1);
    statusOf.delete("/down");
    await expect.poll(() => at("/down").length).toBe(2);
    expect(at("/down")[0]?.headers["webhook-id"]).toBe(at("/down")[1]?.headers["webhook-id"]);
    await expect.poll(() => deliveriesOf(down.id)).toMatchObject([{ status: "delivered", attempts: 2 }]);
    await expect
      .poll(() => deliveriesOf(hangs.id))
      .toMatchObject([{ status: "pending", error: "timeout", next_attempt_at: expect.any(String) }]);
    expect(await deliveriesOf(moved.id)).toMatchObject([{ status: "pending", error: "too_many_redirects" }]);
    expect(at("/elsewhere")).toEqual([]);
  });

  it("event endpoint that answers slowly is paused only until it has answered", async () => {
    delayMsOf.set("/slow", 4_000);
    const { id } = await create("/slow");
    const pauses = () => findItemsContaining(service, "event-pause").filter((item) => item.includes(id));
    await client.chat({ conversation_id: await client.createConversation(), content: "Hello" });
    await expect.poll(pauses).toHaveLength(1);
    await expect.poll(() => deliveriesOf(id)).toMatchObject([{ status: "delivered", attempts: 1 }]);
    await expect.poll(pauses).toEqual([]);
  });

  it("event endpoint is disabled when it answers 410, can be enabled again, and supports tests, replays and a new secret", async () => {
    statusOf.set("/gone", 410);
    const { id, secret, public_key } = await create("/gone");
    expect((await client.post(`/v1/event-endpoints/${id}/test`, {})).status).toBe(202);
    await expect
      .poll(async () => (await client.get(`/v1/event-endpoints/${id}`)).body)
      .toMatchObject({ enabled: false, disabled_reason: "gone" });
    const [delivery] = await deliveriesOf(id);
    expect(delivery).toMatchObject({ status: "failed", type: "endpoint.test", response_status: 410 });
    statusOf.delete("/gone");
    const { body: enabled } = await client.patch(`/v1/event-endpoints/${id}`, { enabled: true });
    expect(enabled).toMatchObject({ enabled: true, disabled_reason: null });
    const rotated = await client.post(`/v1/event-endpoints/${id}/rotate-secret`, undefined, { "idempotency-key": "r" });
    const again = await client.post(`/v1/event-endpoints/${id}/rotate-secret`, undefined, { "idempotency-key": "r" });
    expect([rotated.status, again.body.secret]).toEqual([200, rotated.body.secret]);
    await client.post(`/v1/event-endpoints/${id}/deliveries/${encodeURIComponent(String(delivery?.id))}/replay`, {});
    await expect.poll(() => at("/gone").length).toBe(2);
    const [first, replayed] = at("/gone") as [Received, Received];
    expect([replayed.body, replayed.headers["webhook-id"]]).toEqual([first.body, first.headers["webhook-id"]]);
    expect(signaturesOf(replayed, "v1")).toEqual([sign(rotated.body.secret, replayed), sign(secret, replayed)]);
    expect(verifyWith(rotated.body.public_key, replayed)).toEqual([true, false]);
    expect(verifyWith(public_key, replayed)).toEqual([false, true]);
  });

  it("traces of a tenant's answers and a test trace are sent to the collector of the tenant's event endpoint", async () => {
    const collectors = [await startOtlpCollector(), await startOtlpCollector()] as const;
    try {
      const other = new Client(newIdentity(), service.baseUrl);
      const begin = async (owner: Client, key: string, url: string) => {
        const settings = { url, types: ["run.completed", "run.failed"], format: "otlp", headers: `x-api-key=${key}` };
        const { body } = await owner.post("/v1/event-endpoints", settings);
        const conversation_id = await owner.createConversation();
        const [first] = await owner.chat({ conversation_id, content: "A secret plan?" });
        return { id: String(body.id), answer: first?.data.message_id };
      };
      const created = [
        await begin(client, "k0", `${collectors[0].endpoint}/`),
        await begin(other, "k1", collectors[1].endpoint),
      ] as const;
      const answersAt = ({ spans }: OtlpCollector) =>
        spans.flatMap(({ name, attributes }) => (name === "invoke_agent" ? [attributes["gen_ai.response.id"]] : []));
      await expect.poll(() => collectors.map(answersAt)).toEqual(created.map(({ answer }) => [answer]));
      const { id } = created[0];
      await expect.poll(() => deliveriesOf(id)).toMatchObject([{ status: "delivered", response_status: 200 }]);
      await client.post(`/v1/event-endpoints/${id}/test`, {});
      await expect.poll(() => collectors[0].spans.map(({ name }) => name)).toContain("endpoint.test");
      expect(JSON.stringify(collectors.map(({ spans }) => spans))).not.toContain("secret plan");
      const changed = await client.patch(`/v1/event-endpoints/${id}`, { include_content: true });
      expect(changed.body).toMatchObject({ format: "otlp", include_content: true });
      expect(changed.text).not.toMatch(/k0|headers/);
    } finally {
      for (const collector of collectors) collector.stop();
    }
  });

  it("event endpoints for Slack and Teams receive an event as one sentence", async () => {
    const { id } = await create("/slack", { format: "slack" });
    const teams = await create("/teams", { format: "teams" });
    for (const each of [id, teams.id]) await client.post(`/v1/event-endpoints/${each}/test`, {});
    await expect.poll(() => at("/slack").length + at("/teams").length).toBe(2);
    expect(JSON.parse(at("/slack")[0]?.body ?? "").text).toContain("to test an endpoint");
    expect(JSON.parse(at("/teams")[0]?.body ?? "").attachments[0].content.body[0].text).toContain(teams.id);
    expect(at("/slack")[0]?.headers["webhook-signature"]).toBeUndefined();
  });

  it("event endpoints are refused to a user without the permission, and do not change", async () => {
    const { id } = await create("/protected");
    const path = `/v1/event-endpoints/${id}`;
    const before = (await client.get(path)).body;
    const member = await createColleague(client);
    const refused = await Promise.all([
      member.post("/v1/event-endpoints", { url: receiverUrl, types: ["run.completed"] }),
      member.get("/v1/event-endpoints"),
      member.get(path),
      member.patch(path, { types: ["alert.received"] }),
      member.post(`${path}/rotate-secret`, {}),
      member.post(`${path}/test`, {}),
      member.get(`${path}/deliveries`),
      member.delete(path),
    ]);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(refused.map(() => [403, "forbidden"]));
    for (const { text } of refused) expect(text).not.toContain(receiverUrl);
    expect((await client.get(path)).body).toEqual(before);
    expect((await client.get("/v1/event-endpoints")).body.endpoints).toHaveLength(1);
    expect(at("/protected")).toEqual([]);
  });

  it("event endpoints are refused with an unsupported URL, type or header, and beyond the maximum number", async () => {
    const status = async (fields: Record<string, unknown>) =>
      (await client.post("/v1/event-endpoints", { url: receiverUrl, types: ["run.completed"], ...fields })).status;
    expect(await status({ url: "ftp://example.com" })).toBe(400);
    expect(await status({ url: "https://user:pass@example.com" })).toBe(400);
    expect(await status({ types: [] })).toBe(400);
    expect(await status({ format: "otlp", types: ["alert.received"] })).toBe(400);
    expect(await status({ format: "otlp", headers: "a=b\r\nc: d" })).toBe(400);
    expect(await status({ types: ["run.unknown"] })).toBe(400);
    for (let n = 0; n < 20; n++) expect(await status({})).toBe(201);
    expect(await status({})).toBe(409);
  });
});
