import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createChannel, type DeliveryHeaders, hmacHex, standardHeaders } from "#test/support/webhooks/channel.ts";

const raw = JSON.stringify({ severity: "high", description: "Disk full" });

it("delivery log of a webhook channel lists refused deliveries with the reason, but without their content", async () => {
  const { registration, post, deliveries } = await createChannel();
  const signed = (body: string, headers: DeliveryHeaders = {}) =>
    post(body, { "x-webhook-signature": hmacHex(registration.secret ?? "", body), ...headers });
  const statuses = [
    (await post(raw, {})).status,
    (await signed("secret text", { "content-type": "text/plain; charset=utf-16be" })).status,
    (await signed("", { "content-type": "text/plain" })).status,
    (await signed(raw, { "x-webhook-timestamp": "1000" })).status,
  ];
  expect(statuses).toEqual([401, 400, 422, 401]);
  const entries = (await deliveries()).toReversed();
  expect(entries.map(({ status, reason, duplicates }) => [status, reason, duplicates])).toEqual([
    ["refused", "missing_signature", 0],
    ["refused", "malformed_body", 0],
    ["refused", "invalid_structure", 0],
    ["refused", "old_timestamp", 0],
  ]);
  expect(entries[3]?.detail).toMatch(/X-Webhook-Timestamp.*milliseconds/);
  expect(JSON.stringify(entries)).not.toMatch(/secret text|Disk full/);
});

it("delivery log of a webhook channel counts every refused delivery when twelve arrive at once", async () => {
  const { post, deliveries } = await createChannel();
  const refusals = Array.from({ length: 12 }, () => post(raw, { "x-webhook-signature": "0".repeat(64) }));
  expect((await Promise.all(refusals)).map(({ status }) => status)).toEqual(Array(12).fill(401));
  const entries = await deliveries();
  expect(entries.every(({ reason }) => reason === "invalid_signature")).toBe(true);
  // Duplicates are counted per minute, and a new minute can begin during the test.
  expect(entries.reduce((sum, { duplicates }) => sum + duplicates + 1, 0)).toBe(12);
});

it("flood of 150 refused webhook deliveries is answered with 401 each time, and the delivery log counts more than half of them in one entry a minute", async () => {
  const { post, deliveries } = await createChannel();
  const refusals = Array.from({ length: 150 }, () => post(raw, { "x-webhook-signature": "0".repeat(64) }));
  expect(new Set((await Promise.all(refusals)).map(({ status }) => status))).toEqual(new Set([401]));
  const entries = await deliveries();
  const counted = entries.reduce((sum, { duplicates }) => sum + duplicates + 1, 0);
  expect(counted).toBeLessThanOrEqual(150);
  // After the first 16, the log is written when the number has doubled.
  expect(counted).toBeGreaterThan(75);
  // A new minute can begin during the test.
  expect(entries.length).toBeLessThanOrEqual(2);
  for (const entry of entries) expect(entry).toMatchObject({ status: "refused", reason: "invalid_signature" });
});

describe("refused webhook delivery", () => {
  const now = () => Date.now() / 1_000;

  it.each<[string, object, (secret: string) => DeliveryHeaders, RegExp]>([
    ["hmac", {}, () => ({}), /HMAC-SHA256.*X-Webhook-Signature/],
    ["hmac", {}, () => ({ "x-hub-signature-256": "sha256=0" }), /X-Hub-Signature-256 does not match the body/],
    ["token", {}, () => ({}), /secret in Authorization/],
    ["token", {}, (secret) => ({ "x-webhook-signature": hmacHex(secret, raw) }), /secret in Authorization/],
    ["token", {}, () => ({ authorization: "Bearer wrong" }), /in Authorization is not the channel's secret/],
    ["standard-webhooks", {}, () => ({}), /webhook-id, webhook-timestamp, webhook-signature are missing/],
    [
      "standard-webhooks",
      {},
      (secret) => standardHeaders(secret, raw, randomUUID(), now() - 400),
      /^webhook-timestamp must be the current time in epoch seconds/,
    ],
    [
      "standard-webhooks",
      {},
      (secret) => ({ ...standardHeaders(secret, raw), "webhook-id": "other" }),
      /webhook-signature does not match webhook-id/,
    ],
    [
      "sns",
      { topic_arn: "arn:aws:sns:eu-central-1:123456789012:alarms" },
      () => ({ "x-amz-sns-message-type": "Notification" }),
      /Amazon SNS signed for the channel's topic/,
    ],
  ])(
    "refused webhook delivery is answered and logged with the header and the reason when the signature scheme is %s",
    async (signature_scheme, options, headers, detail) => {
      const { registration, post, deliveries } = await createChannel({ signature_scheme, ...options });
      const { status, body } = await post(raw, headers(registration.secret ?? ""));
      expect([status, body.detail]).toEqual([401, expect.stringMatching(detail)]);
      expect((await deliveries()).map((entry) => entry.detail)).toEqual([body.detail]);
    },
  );
});

describe("Grafana webhook signature that includes a timestamp", () => {
  const timestampNames = ["x-grafana-alerting-timestamp", "x-grafana-alerting-signature-timestamp"];
  const sign = (timestamp: string, name: string, secret = "grafana-secret") => ({
    "x-grafana-alerting-signature": hmacHex(secret, `${timestamp}:${raw}`),
    [name]: timestamp,
  });
  const seconds = (offset = 0) => String(Math.round(Date.now() / 1_000) + offset);

  it.each(timestampNames)(
    "Grafana webhook signature that includes a timestamp is accepted with the timestamp in the header %s",
    async (name) => {
      const { post, messages } = await createChannel({ provider_secret: "grafana-secret" });
      expect((await post(raw, sign(seconds(), name))).status).toBe(200);
      expect((await post(raw, sign(seconds(-10), name))).status).toBe(200);
      expect((await messages()).length).toBe(1);
    },
  );

  it.each(timestampNames)(
    "Grafana webhook signature that includes a timestamp is rejected when the timestamp in the header %s is old, changed or missing",
    async (name) => {
      const { post, messages } = await createChannel({ provider_secret: "grafana-secret" });
      const old = await post(raw, sign(seconds(-301), name));
      expect([old.status, old.body.detail]).toEqual([401, expect.stringMatching(/timestamp must be.*epoch seconds/i)]);
      const headers = sign(seconds(), name);
      const { [name]: _, ...withoutTime } = headers;
      const refused = [
        { ...headers, [name]: seconds(5) },
        { ...headers, [name]: "" },
        withoutTime,
        sign(seconds(), name, "another-secret"),
      ];
      for (const changed of refused) expect((await post(raw, changed)).status).toBe(401);
      expect(await messages()).toEqual([]);
    },
  );
});

it("replay of a stored webhook delivery returns the message that the delivery created, without adding another one", async () => {
  const { client, id, registration, post, messages, deliveries } = await createChannel();
  const send = (event_type: string, status: string, minute: number) => {
    const occurred_at = `2026-02-03T04:0${minute}:00Z`;
    const data = { id: "PINC", type: "incident", title: "Down", status };
    const body = JSON.stringify({ event: { id: randomUUID(), event_type, occurred_at, data } });
    return post(body, { "x-webhook-signature": hmacHex(registration.secret ?? "", body) });
  };
  await send("incident.triggered", "triggered", 1);
  await send("incident.resolved", "resolved", 2);
  const before = await messages();
  for (const { fingerprint, message_id, provider } of await deliveries()) {
    const replayed = await client.post(`/v1/webhooks/${id}/deliveries/${fingerprint}/replay`, {});
    expect([replayed.status, replayed.body.message_id, provider]).toEqual([200, message_id, "pagerduty"]);
  }
  expect(await messages()).toEqual(before);
  expect(before.map(({ parent_id }) => parent_id)).toEqual([null, before[0]?.message_id]);
  expect(before[0]?.alert.state).toBe("resolved");
});

it("webhook delivery of unknown form is accepted with guessed paths, which the channel can replace and preview", async () => {
  const { client, id, registration, post, messages, deliveries } = await createChannel();
  const deliver = (what: string, zustand = "KAPUTT") => {
    const body = JSON.stringify({ alarm: { what, rank: "P1", page: "https://a.example/7", nr: 7, zustand } });
    return post(body, { "x-webhook-signature": hmacHex(registration.secret ?? "", body) });
  };
  expect((await deliver("Disk full")).status).toBe(200);
  expect((await deliveries())[0]).toMatchObject({ status: "accepted", guessed_paths: {} });
  const update = (change: object) => client.request("PATCH", `/v1/webhooks/${id}`, change);
  const paths = {
    text: "alarm.what",
    severity: "alarm.rank",
    link: "alarm.page",
    id: "alarm.nr",
    state: "alarm.zustand",
    states: { open: ["KAPUTT"], resolved: ["HEIL"] },
  };
  const guessed = { severity: "medium", description: "Disk full", state: null, incident: null };
  expect((await update({ paths: { text: "alarm.wat" }, dry_run: true })).body).toMatchObject({ preview: guessed });
  const preview = { severity: "critical", description: "Disk full", state: "open", incident: "7", title: null };
  expect((await update({ paths, dry_run: true })).body).toMatchObject({ paths: null, preview });
  expect((await update({ paths })).body).toMatchObject({ channel_id: id, paths, preview });
  expect((await client.get(`/v1/webhooks/${id}/info`)).body.paths).toEqual(paths);
  await deliver("Disk almost full");
  await deliver("Disk has room", "HEIL");
  const [, root, reply] = await messages();
  expect(root?.alert).toMatchObject({ provider: "custom", severity: "critical", state: "resolved" });
  expect(reply?.parent_id).toBe(root?.message_id);
  expect((await deliveries())[0]).toMatchObject({ guessed_paths: null });
});

it.each([
  ["a form", "application/x-www-form-urlencoded", "wat=Disk+full&rank=P1", { text: "wat", severity: "rank" }],
  [
    "a list",
    "application/json",
    '[{"wat":"Disk full","rank":"P1"},{"wat":"Disk almost full"}]',
    { text: "items.0.wat", severity: "items.0.rank" },
  ],
])("webhook delivery of %s can be previewed with other paths", async (_, contentType, body, paths) => {
  const { client, id, registration, post } = await createChannel();
  const signature = hmacHex(registration.secret ?? "", body);
  expect((await post(body, { "content-type": contentType, "x-webhook-signature": signature })).status).toBe(200);
  const reply = await client.request("PATCH", `/v1/webhooks/${id}`, { paths, dry_run: true });
  expect(reply.body.preview).toMatchObject({ severity: "critical", description: "Disk full" });
});

it("payload paths of a webhook channel can be previewed only with a delivery whose signature is valid", async () => {
  const { client, id, post } = await createChannel();
  const body = JSON.stringify({ alarm: "Forged" });
  expect((await post(body, { "x-webhook-signature": "0".repeat(64) })).status).toBe(401);
  const { body: reply } = await client.request("PATCH", `/v1/webhooks/${id}`, { paths: { text: "alarm" } });
  expect(reply.preview).toBeNull();
});

it("payload paths of a webhook channel can be set at registration, and must be names joined by dots", async () => {
  const { client, id } = await createChannel({ paths: { text: "alarm" } });
  expect((await client.get(`/v1/webhooks/${id}/info`)).body.paths).toEqual({ text: "alarm" });
  for (const paths of [
    { text: "" },
    { text: "a..b" },
    { text: "a b" },
    { text: "{a" },
    { body: "a" },
    { states: { open: [""] } },
  ]) {
    expect((await client.request("PATCH", `/v1/webhooks/${id}`, { paths })).status).toBe(400);
  }
});
