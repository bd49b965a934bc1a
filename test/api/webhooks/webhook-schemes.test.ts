import { createHmac, randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { createChannel, type DeliveryHeaders, hmacHex, standardHeaders } from "#test/support/webhooks/channel.ts";

const alert = (fields: object = {}) => JSON.stringify({ severity: "high", description: "Disk full", ...fields });

it("webhook channel accepts a Standard Webhooks signature and recognizes a repeated delivery by its webhook-id", async () => {
  const { registration, post, messages } = await createChannel({ signature_scheme: "standard-webhooks" });
  const { secret = "" } = registration;
  expect(secret).toMatch(/^whsec_/);
  const raw = alert();
  const first = await post(raw, standardHeaders(secret, raw, "msg_1"));
  expect([first.status, first.body.provider]).toEqual([200, "custom"]);
  const repeated = await post(raw, { ...standardHeaders(secret, raw, "msg_1"), "x-webhook-provider": "monitor" });
  expect([repeated.status, repeated.body.message_id]).toEqual([200, first.body.message_id]);
  expect((await post(raw, standardHeaders(secret, raw, "msg_1"))).body.message_id).toBe(first.body.message_id);
  expect((await post(raw, standardHeaders(secret, raw, "msg_2"))).body.message_id).not.toBe(first.body.message_id);
  expect((await messages()).length).toBe(2);
});

it("webhook channel rejects a Standard Webhooks signature when the id, the body or the time was changed", async () => {
  const { registration, post } = await createChannel({ signature_scheme: "standard-webhooks" });
  const { secret = "" } = registration;
  const raw = alert();
  const headers = standardHeaders(secret, raw);
  const changes: [string, DeliveryHeaders][] = [
    [raw, { ...headers, "webhook-id": "other" }],
    [raw, { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) + 1) }],
    [`${raw} `, headers],
    [raw, standardHeaders(secret, raw, "old", Date.now() / 1_000 - 400)],
    [raw, { "x-webhook-signature": hmacHex(secret, raw) }],
    [raw, { "webhook-signature": "v1,", "webhook-id": "a", "webhook-timestamp": "1" }],
  ];
  for (const [body, changed] of changes) expect((await post(body, changed)).status).toBe(401);
  expect((await post(raw, headers)).status).toBe(200);
});

it('webhook channel accepts its secret as a bearer token or Basic password when the signature scheme is "token"', async () => {
  const { registration, post, deliveries } = await createChannel({ signature_scheme: "token" });
  const { secret = "", signature_header } = registration;
  expect(signature_header).toBe("Authorization");
  expect((await post(alert(), { authorization: `Bearer ${secret}` })).status).toBe(200);
  const basic = Buffer.from(`alertmanager:${secret}`).toString("base64");
  expect((await post(alert({ alert_id: "b" }), { authorization: `Basic ${basic}` })).status).toBe(200);
  for (const authorization of ["Bearer wrong", "Bearer", "Basic !", `Bearer ${secret}x`]) {
    expect((await post(alert(), { authorization })).status).toBe(401);
  }
  const [refused] = (await deliveries()).filter(({ status }: { status: string }) => status === "refused");
  expect(refused).toMatchObject({ reason: "invalid_signature", message_id: null });
  expect(JSON.stringify(await deliveries())).not.toContain("Disk");
});

it.each([
  ["x-hub-signature-256", "sha256="],
  ["sentry-hook-signature", ""],
  ["x-grafana-alerting-signature", ""],
  ["x-pagerduty-signature", "v1="],
])(
  "webhook channel accepts a signature that was made with the provider's secret in the header %s",
  async (header, prefix) => {
    const { post } = await createChannel({ provider_secret: "their-own-secret" });
    const raw = alert();
    expect((await post(raw, { [header]: `${prefix}${hmacHex("their-own-secret", raw)}` })).status).toBe(200);
    expect((await post(raw, { [header]: `${prefix}${hmacHex("another-secret", raw)}` })).status).toBe(401);
  },
);

it("webhook channel records a repeated body once, even if headers that are not signed differ", async () => {
  const { registration, post, messages } = await createChannel();
  const raw = alert();
  const signature = { "x-webhook-signature": hmacHex(registration.secret ?? "", raw) };
  const variants: DeliveryHeaders[] = [
    {},
    { "x-webhook-provider": "custom" },
    { "x-webhook-timestamp": String(Date.now()) },
  ];
  const responses = [];
  for (const headers of variants) responses.push(await post(raw, { ...signature, ...headers }));
  expect(new Set(responses.map(({ body }) => body.message_id)).size).toBe(1);
  expect((await messages()).length).toBe(1);
});

it("webhook channel parses the body as JSON regardless of its content type", async () => {
  const { registration, post } = await createChannel();
  const raw = alert();
  const headers = { "x-webhook-signature": hmacHex(registration.secret ?? "", raw) };
  expect((await post(raw, { ...headers, "content-type": "text/plain; charset=UTF-8" })).status).toBe(200);
});

it("webhook channel accepts the old secret after a replacement until the requested overlap ends", async () => {
  const { client, id, registration, post } = await createChannel();
  const { secret: old = "" } = registration;
  const rotated = await client.post(`/v1/webhooks/${id}/rotate-secret`, { overlap_hours: 1 });
  expect(rotated.status).toBe(200);
  expect(rotated.body.secret).not.toBe(old);
  const send = async (secret: string) => {
    const raw = alert({ alert_id: randomUUID() });
    return (await post(raw, { "x-webhook-signature": hmacHex(secret, raw) })).status;
  };
  expect([await send(old), await send(rotated.body.secret)]).toEqual([200, 200]);
  const again = await client.post(`/v1/webhooks/${id}/rotate-secret`, { overlap_hours: 0 });
  expect([await send(old), await send(rotated.body.secret), await send(again.body.secret)]).toEqual([401, 401, 200]);
  expect((await new Client(newIdentity()).post(`/v1/webhooks/${id}/rotate-secret`, {})).status).toBe(404);
});

it("webhook channel sends a test alert and replays a delivery once per Idempotency-Key", async () => {
  const { client, id, messages, deliveries } = await createChannel();
  const headers = { "idempotency-key": randomUUID() };
  const sendAll = (path: string) =>
    Promise.all(Array.from({ length: 12 }, () => client.post(`/v1/webhooks/${id}/${path}`, {}, headers)));
  const tests = await sendAll("test");
  expect(new Set(tests.map(({ status, body }) => `${status} ${body.message_id}`)).size).toBe(1);
  const [{ fingerprint } = { fingerprint: "" }] = await deliveries();
  const replays = await sendAll(`deliveries/${fingerprint}/replay`);
  expect(new Set(replays.map(({ status, body }) => `${status} ${body.message_id}`)).size).toBe(1);
  expect((await messages()).length).toBe(2);
});

it("webhook channel sends a test alert and replays an earlier delivery on request", async () => {
  const { client, id, registration, post, messages, deliveries } = await createChannel();
  const sent = await client.post(`/v1/webhooks/${id}/test`, {});
  expect(sent.status).toBe(200);
  const raw = alert({ alert_id: "r-1", region: "eu" });
  const original = await post(raw, { "x-webhook-signature": hmacHex(registration.secret ?? "", raw) });
  expect(original.body).toMatchObject({ provider: "datadog", ignored_fields: ["region"] });
  const [delivery] = await deliveries();
  expect(delivery).toMatchObject({ alert_id: "r-1", ignored_fields: ["region"], status: "accepted" });
  const replayed = await client.post(`/v1/webhooks/${id}/deliveries/${delivery?.fingerprint}/replay`, {});
  expect([replayed.status, replayed.body.alert_id]).toEqual([200, "r-1"]);
  const [test, first, copy] = await messages();
  expect([test?.alert.is_test, first?.content, copy?.message_id]).toEqual([
    true,
    copy?.content,
    replayed.body.message_id,
  ]);
  expect((await client.post(`/v1/webhooks/${id}/deliveries/unknown/replay`, {})).status).toBe(404);
});

it("webhook channel is returned with the absolute URL for its deliveries, at registration and later", async () => {
  const { client, id, registration } = await createChannel();
  expect(registration.url).toBe(`${client.baseUrl}/v1/webhooks/${id}`);
  expect((await client.get(`/v1/webhooks/${id}/info`)).body.url).toBe(registration.url);
});

it("webhook channel shows the latest state of an incident in the incident's first message when events arrive out of order", async () => {
  const { registration, post, messages } = await createChannel();
  const send = (event_type: string, minute: number, data: object = {}) => {
    const occurred_at = `2026-02-03T04:${String(minute).padStart(2, "0")}:00Z`;
    const raw = JSON.stringify({
      event: {
        id: randomUUID(),
        event_type,
        occurred_at,
        data: { id: "i-1", title: "Down", urgency: "high", ...data },
      },
    });
    return post(raw, { "x-webhook-signature": hmacHex(registration.secret ?? "", raw) });
  };
  await send("incident.triggered", 1);
  await send("incident.resolved", 9, { resolve_reason: "Fixed" });
  await send("incident.acknowledged", 5);
  const [root, ...replies] = await messages();
  expect(replies.length).toBe(2);
  expect(root?.alert.state).toBe("resolved");
  const items = root?.content.flatMap((block) => block.items ?? []);
  expect(items).toEqual(expect.arrayContaining(["State: resolved", "Resolve reason: Fixed"]));
});

it("webhook channel verifies signatures over the bytes of a body that is not UTF-8, and shows its text", async () => {
  const { registration, client, id, messages } = await createChannel();
  const bytes = Buffer.from(alert({ description: "Plattenspeicher für Grüße voll" }), "latin1");
  const signature = createHmac("sha256", registration.secret ?? "")
    .update(bytes)
    .digest("hex");
  const response = await fetch(`${client.baseUrl}/v1/webhooks/${id}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-webhook-signature": signature },
    body: Uint8Array.from(bytes),
  });
  expect(response.status).toBe(200);
  expect(JSON.stringify(await messages())).toContain("Plattenspeicher für Grüße voll");
});
