import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { createColleague } from "#test/support/people.ts";
import { createChannel, hmacHex } from "#test/support/webhooks/channel.ts";

interface Received {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown> | null;
}

describe("write-back of an incident", () => {
  let provider: Server;
  let url: string;
  let received: Received[];
  /** Statuses of the next answers to requests that change something, by method; then 200. A status of 0 closes the connection. */
  let statuses: Record<string, number[]>;
  const notes: string[] = [];
  let client: Client;
  let channel: Awaited<ReturnType<typeof createChannel>>;
  let investigation: string;

  beforeAll(async () => {
    provider = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const [method, path] = [String(request.method), String(request.url)];
        if (request.headers.authorization !== "Token token=pd-secret") return response.writeHead(401).end();
        if (method === "GET") return response.end(JSON.stringify({ notes: notes.map((content) => ({ content })) }));
        received.push({ method, path, body: JSON.parse(text) });
        const status = statuses[method]?.shift() ?? 200;
        // The note is stored, and its answer is lost.
        if (status === 0 || status === 200) notes.push(text);
        if (status === 0) return request.socket.destroy();
        return response.writeHead(status, status === 429 ? { "retry-after": "1" } : {}).end("{}");
      });
    });
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    client = new Client(newIdentity());
    const { body: persona } = await client.post("/v1/personas", { name: "On call" });
    channel = await createChannel({}, client);
    await client.patch(`/v1/webhooks/${channel.id}`, { investigate: { persona: persona.id } });
    await raise("e1", "Q1ABC");
    for (;;) {
      const [found] = (await client.get("/v1/investigations")).body.investigations;
      investigation = found?.id;
      if (found?.status === "completed") break;
      await sleep(100);
    }
  });
  beforeEach(() => {
    received = [];
    statuses = {};
  });
  afterAll(() => {
    provider.closeAllConnections();
    provider.close();
  });

  const raise = async (event: string, incident: string) => {
    const data = { id: incident, type: "incident", title: "Down", status: "triggered", urgency: "high" };
    const raw = JSON.stringify({ event: { id: event, event_type: "incident.triggered", data } });
    const signature = hmacHex(String(channel.registration.secret), raw);
    expect((await channel.post(raw, { "x-webhook-signature": signature })).status).toBe(200);
  };
  const setUp = (actions: Record<string, string>, fields: Record<string, unknown> = {}) => {
    const write_back = { provider: "pagerduty", url, from: "ann@example.com", secret: "pd-secret", actions, ...fields };
    return client.patch(`/v1/webhooks/${channel.id}`, { write_back });
  };
  const path = () => `/v1/investigations/${investigation}/updates`;
  const update = (body: object) => client.post(path(), body);
  const latest = async () => (await client.get(path())).body.updates[0];
  const untilEnded = async () => {
    await expect.poll(async () => (await latest()).status).not.toBe("pending");
    return latest();
  };

  it("settings of the write-back to an incident's provider are returned without the secret, and rejected if no update could be written with them", async () => {
    const { body, text } = await setUp({ acknowledge: "auto", note: "auto", resolve: "approve" });
    expect(body.write_back).toMatchObject({ provider: "pagerduty", url, has_secret: true });
    expect(text).not.toContain("pd-secret");
    const moved = await setUp({}, { url: "http://127.0.0.1:1", secret: undefined });
    expect([moved.status, moved.body.errors?.[0]?.path]).toEqual([400, "write_back.secret"]);
    const noteless = await setUp({ note: "auto" }, { provider: "pagerduty_events" });
    expect([noteless.status, noteless.body.errors?.[0]?.path]).toEqual([400, "write_back.actions.note"]);
    const { body: listed } = await client.get(path());
    expect(listed.write_back).toMatchObject({ target: "Q1ABC", actions: { acknowledge: "auto", resolve: "approve" } });
  });

  it("write-back of an incident writes each update once in the mode auto, also after a 429 response and a lost response", async () => {
    await setUp({ acknowledge: "auto", note: "auto" });
    statuses = { PUT: [429], POST: [0] };
    const { status, body } = await update({ action: "acknowledge" });
    expect([status, body.status, body.approval_id]).toEqual([202, "pending", null]);
    expect((await client.get(`/v1/investigations/${investigation}`)).body.acknowledged_by).toBe(client.identity.user);
    await update({ action: "note", text: "It was DNS" });
    const listed = async () => (await client.get(path())).body.updates;
    const delivered = { status: "delivered", attempts: 2, error: null };
    await expect.poll(listed).toMatchObject([delivered, delivered]);
    const incident = { type: "incident_reference", status: "acknowledged" };
    const request = { method: "PUT", path: "/incidents/Q1ABC", body: { incident } };
    expect(received.filter(({ method }) => method === "PUT")).toEqual([request, request]);
    const content = expect.stringContaining("It was DNS");
    expect(received.filter(({ method }) => method === "POST")).toMatchObject([{ body: { note: { content } } }]);
    expect((await client.get(`/v1/investigations/${investigation}`)).body.state).toBe("acknowledged");
    expect((await update({ action: "resolve" })).status).toBe(409);
  });

  it("write-back of an incident writes an update only after the consent that its mode requires, and never a denied update", async () => {
    await setUp({ note: "confirm", resolve: "approve" });
    const { body: confirmed } = await update({ action: "note", text: "Confirmed note" });
    expect(confirmed.status).toBe("waiting");
    expect((await client.post(`/v1/approvals/${confirmed.approval_id}/confirm`, { decision: "approve" })).status).toBe(
      200,
    );
    await expect.poll(latest).toMatchObject({ id: confirmed.id, status: "delivered" });
    const { body: denied } = await update({ action: "note", text: "Denied note" });
    await client.post(`/v1/approvals/${denied.approval_id}/confirm`, { decision: "deny" });
    await expect.poll(latest).toMatchObject({ id: denied.id, status: "denied" });
    const { body: resolve } = await update({ action: "resolve", text: "Rolled back" });
    const decide = `/v1/approvals/${resolve.approval_id}/decide`;
    expect((await client.post(decide, { decision: "approve" })).status).toBe(403);
    expect((await client.post(`/v1/approvals/${resolve.approval_id}/confirm`, { decision: "approve" })).status).toBe(
      403,
    );
    const colleague = await createColleague(client, "admin");
    expect((await colleague.post(decide, { decision: "approve" })).status).toBe(200);
    await expect.poll(latest).toMatchObject({ id: resolve.id, status: "delivered" });
    expect(received.map(({ body }) => JSON.stringify(body)).join("\n")).not.toContain("Denied note");
    expect(received.at(-1)?.body).toEqual({
      incident: { type: "incident_reference", status: "resolved", resolution: "Rolled back" },
    });
    // An acknowledgement that is written later does not open the incident again.
    await setUp({ acknowledge: "auto" });
    const { body: late } = await update({ action: "acknowledge" });
    await expect.poll(latest).toMatchObject({ id: late.id, status: "delivered" });
    expect((await client.get(`/v1/investigations/${investigation}`)).body.state).toBe("resolved");
  });

  it("write-back of an incident fails without a retry after a permanent refusal, and states the reason", async () => {
    await setUp({ acknowledge: "auto" });
    statuses = { PUT: [400] };
    await update({ action: "acknowledge" });
    expect(await untilEnded()).toMatchObject({ status: "failed", attempts: 1, error: "status 400" });
    await setUp({ acknowledge: "auto" }, { secret: "wrong" });
    await update({ action: "acknowledge" });
    expect(await untilEnded()).toMatchObject({ status: "failed", error: "status 401" });
  });

  it("write-back of an incident adds the result of an investigation to the provider's incident as one note if the channel says so", async () => {
    await setUp({ note: "auto" }, { post_result: true });
    await raise("e2", "Q2DEF");
    await expect.poll(() => received.map((request) => request.path)).toEqual(["/incidents/Q2DEF/notes"]);
    expect(JSON.stringify(received)).toContain("Investigation: No cause proven");
  });

  it("write-back of an incident that needs approval is not sent because of a separate approval of the same operation", async () => {
    await setUp({ resolve: "approve" });
    const params = { investigation_id: investigation, action: "resolve" };
    const action = { operation: "updateIncident", params };
    const { body: forged } = await client.post("/v1/approvals", { type: "tool_execution", action });
    expect(forged.status).toBe("pending");
    const colleague = await createColleague(client, "admin");
    const decided = await colleague.post(`/v1/approvals/${forged.id}/decide`, { decision: "approve" });
    expect(decided.status).toBe(200);
    // An update that is requested afterwards waits all the same.
    const { body: waiting } = await update({ action: "resolve" });
    expect([(await latest()).status, waiting.status, received]).toEqual(["waiting", "waiting", []]);
  });
});
