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
  expect(JSON.stringify(refused)).not.toContain("Disk");
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

/** Signs a body as a tool does, at a time in epoch milliseconds. */
type ToolSignature = (secret: string, raw: string, timeMs: number) => DeliveryHeaders;

const digest = (algorithm: string, encoding: "hex" | "base64", secret: string, signed: string) =>
  createHmac(algorithm, secret).update(signed).digest(encoding);
const inHeader =
  (name: string, prefix = "", algorithm = "sha256", encoding: "hex" | "base64" = "hex"): ToolSignature =>
  (secret, raw) => ({ [name]: `${prefix}${digest(algorithm, encoding, secret, raw)}` });

const toolSignatures: readonly (readonly [tool: string, sign: ToolSignature])[] = [
  ["GitHub and Jira", inHeader("X-Hub-Signature", "sha256=")],
  ["GitHub, as of old", inHeader("X-Hub-Signature", "sha1=", "sha1")],
  ["Linear", inHeader("Linear-Signature")],
  ["FireHydrant", inHeader("Fh-Signature")],
  ["Checkly", inHeader("x-checkly-signature")],
  ["Splunk Observability", inHeader("X-SFX-Signature", "", "sha1", "base64")],
  ["Splunk Observability, with SHA-256", inHeader("X-SFX-Signature", "", "sha256", "base64")],
  [
    "Rootly",
    (secret, raw, timeMs) => {
      const seconds = Math.floor(timeMs / 1_000);
      return { "X-Rootly-Signature": `t=${seconds},v1=${hmacHex(secret, `${seconds}${raw}`)}` };
    },
  ],
  [
    "Zendesk",
    (secret, raw, timeMs) => {
      const time = new Date(timeMs).toISOString();
      const signature = digest("sha256", "base64", secret, `${time}${raw}`);
      return { "X-Zendesk-Webhook-Signature": signature, "X-Zendesk-Webhook-Signature-Timestamp": time };
    },
  ],
  [
    "Grafana",
    (secret, raw, timeMs) => {
      const seconds = Math.floor(timeMs / 1_000);
      const signature = hmacHex(secret, `${seconds}:${raw}`);
      return { "X-Grafana-Alerting-Signature": signature, "X-Grafana-Alerting-Timestamp": String(seconds) };
    },
  ],
];

it.each(toolSignatures)(
  "webhook channel accepts the signature of %s, of the same body and secret only",
  async (_, sign) => {
    const { post } = await createChannel({ provider_secret: "their-own-secret" });
    const raw = alert();
    const headers = sign("their-own-secret", raw, Date.now());
    expect((await post(raw, headers)).status).toBe(200);
    const refused = [
      await post(`${raw} `, headers),
      await post(raw, sign("another-secret", raw, Date.now())),
      ...Object.keys(headers)
        .map((name) => ({ ...headers, [name]: "" }))
        .map((broken) => post(raw, broken)),
    ];
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual(refused.map(() => 401));
  },
);

it.each(toolSignatures.filter(([tool]) => /Rootly|Zendesk|Grafana/.test(tool)))(
  "webhook channel refuses the signature of %s when its timestamp is old or was changed",
  async (_, sign) => {
    const { post } = await createChannel({ provider_secret: "their-own-secret" });
    const raw = alert();
    const [fresh, late] = [Date.now(), Date.now() - 600_000].map((timeMs) => sign("their-own-secret", raw, timeMs));
    const isTime = (name: string) => /time/i.test(name);
    const mixed = Object.fromEntries(
      Object.entries(late ?? {}).map(([name, value]) => [
        name,
        isTime(name) ? (fresh?.[name] ?? "") : value.replace(/^t=\d+/, `t=${Math.floor(Date.now() / 1_000)}`),
      ]),
    );
    expect([(await post(raw, late ?? {})).status, (await post(raw, mixed)).status]).toEqual([401, 401]);
  },
);

it.each(["X-Gitlab-Token", "X-Honeycomb-Webhook-Token"])(
  'webhook channel accepts its secret in the header %s when the signature scheme is "token"',
  async (name) => {
    const { registration, post } = await createChannel({ signature_scheme: "token" });
    const { secret = "" } = registration;
    expect((await post(alert(), { [name]: secret })).status).toBe(200);
    for (const wrong of [`${secret}0`, secret.slice(1), `Bearer ${secret}`]) {
      expect((await post(alert(), { [name]: wrong })).status).toBe(401);
    }
    const signed = await createChannel();
    expect((await signed.post(alert(), { [name]: signed.registration.secret ?? "" })).status).toBe(401);
  },
);

it("webhook channel accepts a Standard Webhooks signature in the headers of Svix", async () => {
  const { registration, post } = await createChannel({ signature_scheme: "standard-webhooks" });
  const { secret = "" } = registration;
  const raw = alert();
  const svix = (headers: DeliveryHeaders) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.replace("webhook-", "svix-"), value]));
  expect((await post(raw, svix(standardHeaders(secret, raw, "msg_1")))).status).toBe(200);
  expect((await post(`${raw} `, svix(standardHeaders(secret, raw, "msg_1")))).status).toBe(401);
  expect((await post(raw, { ...svix(standardHeaders(secret, raw, "msg_1")), "svix-id": "msg_2" })).status).toBe(401);
  expect((await post(raw, svix(standardHeaders(secret, raw, "old", Date.now() / 1_000 - 400)))).status).toBe(401);
});

const boundary = "----form";
const formPart = (name: string, value: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const kumaJson = JSON.stringify({
  heartbeat: { status: 0, msg: "timeout" },
  monitor: { name: "Shop" },
  msg: "[Shop] Down",
});

it.each([
  [
    "a form",
    "application/x-www-form-urlencoded",
    "Name=Shop+API&Status=Down&StatusCode=0&URL=https%3A%2F%2Fshop.example",
    "Shop API",
  ],
  [
    "a form with JSON in `payload`",
    "application/x-www-form-urlencoded",
    `payload=${encodeURIComponent(alert())}`,
    "Disk full",
  ],
  [
    "a form with parts and JSON in `data`",
    `multipart/form-data; boundary=${boundary}`,
    `${formPart("data", kumaJson)}--${boundary}--\r\n`,
    "Shop",
  ],
  [
    "a form whose parts are cut",
    `multipart/form-data; boundary=${boundary}`,
    formPart("data", "Disk full"),
    "Disk full",
  ],
  ["plain text", "text/plain", "CRITICAL: disk /dev/sda1 is 97 % full", "97 % full"],
  ["JSON with a line break in a text", "application/json", '{"title": "Disk\nfull"}', "Disk"],
  ["a JSON text", "application/json", '"Disk full"', "Disk full"],
  ["a number", "application/json", "5", "5"],
  ["a list with one alert", "application/json", `[${alert()}]`, "Disk full"],
  [
    "a list of alerts",
    "application/json",
    JSON.stringify([{ title: "Disk full" }, { title: "Disk slow" }]),
    "Disk full",
  ],
  ["XML", "application/xml", "<alert><name>Disk full</name></alert>", "Disk full"],
] as const)("webhook channel accepts an alert that is %s", async (_, type, raw, shown) => {
  const { registration, post, messages } = await createChannel();
  const headers = { "content-type": type, "x-webhook-signature": hmacHex(registration.secret ?? "", raw) };
  const first = await post(raw, headers);
  expect([first.status, JSON.stringify(await messages())]).toEqual([200, expect.stringContaining(shown)]);
  expect((await post(raw, headers)).body.message_id).toBe(first.body.message_id);
  expect((await post(`${raw}&x=1`, headers)).status).toBe(401);
});

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
