import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { EventType } from "#shared/api/events/event-data.ts";
import { openHeaders, openRoutingKey, sealTarget } from "#shared/events/check-target.ts";
import type { StoredEventEndpoint } from "#shared/events/endpoint-store.ts";
import { renderPagerduty } from "#shared/events/render-pagerduty.ts";
import { sendEmail } from "#shared/lib/aws/ses.ts";

const timestamp = "2026-11-25T10:00:00.000Z";
const render = (type: EventType, data: object) => {
  const event = renderPagerduty({ type, event_id: "evt_1", payload: JSON.stringify({ type, timestamp, data }) }, "R1");
  return event === null ? null : JSON.parse(event);
};

it("PagerDuty event opens an incident for an alert, and the end of the alert resolves the same incident", () => {
  const alert = { provider: "alertmanager", severity: "high", title: "Errors" };
  const opened = render("alert.received", { message_id: "m1", parent_id: null, alert });
  expect(opened).toEqual({
    routing_key: "R1",
    event_action: "trigger",
    dedup_key: "switchboard:alert:m1",
    client: "Switchboard",
    payload: {
      summary: "Errors: A monitoring alert arrived.",
      source: "switchboard",
      severity: "error",
      timestamp,
      class: "alert.received",
      custom_details: { message_id: "m1", parent_id: null, alert },
    },
  });
  const resolved = render("alert.resolved", { message_id: "m2", parent_id: "m1", alert });
  expect(resolved).toEqual({ routing_key: "R1", event_action: "resolve", dedup_key: opened.dedup_key });
});

it("PagerDuty event is not sent for an alert from PagerDuty, which would come back as another alert", () => {
  expect(render("alert.received", { message_id: "m1", alert: { provider: "pagerduty" } })).toBeNull();
});

it.each([
  ["approval.requested", { id: "a" }, "trigger", "switchboard:approval:a"],
  ["approval.decided", { id: "a" }, "resolve", "switchboard:approval:a"],
  ["budget.reached", { budget_id: "b", window: "2026-11", percent: 100 }, "trigger", "switchboard:budget:b:2026-11"],
  ["run.completed", { message_id: "m" }, "trigger", "switchboard:evt_1"],
] as const)("PagerDuty event of %s has its action and key", (type, data, action, key) => {
  expect(render(type, data)).toMatchObject({ event_action: action, dedup_key: key });
});

beforeEach(() => {
  vi.stubEnv("APP_SECRET", "an-app-secret-of-32-characters-xx");
  vi.stubEnv("EMAIL_FROM", "bot@acme.example");
  vi.stubEnv("EMAIL_DOMAINS", "acme.example,ops.example");
});
afterEach(() => vi.unstubAllEnvs());

const url = "https://events.pagerduty.com/v2/enqueue";
const target = { id: "e1", url, format: "pagerduty", types: ["run.failed"] } as const;

it("event endpoint for PagerDuty keeps its encrypted routing key for another URL of the same site, and must get the key again for another site", async () => {
  const { sealed_routing_key } = await sealTarget(target, { routing_key: "routingkey" });
  expect(sealed_routing_key).not.toContain("routingkey");
  const stored = { ...target, sealed_routing_key } as unknown as StoredEventEndpoint;
  expect(await openRoutingKey(stored)).toBe("routingkey");
  const same = await sealTarget({ ...target, url: `${url}?x` }, {}, stored);
  expect(same).toEqual({ sealed_routing_key, sealed_headers: null });
  const moved = { ...target, url: "https://attacker.example/" };
  await expect(sealTarget(moved, {}, stored)).rejects.toMatchObject({ code: "validation_failed" });
  await expect(openRoutingKey({ ...stored, url: moved.url })).rejects.toThrow("cannot be decrypted");
});

it("event endpoint for a collector keeps its headers for the same site, and loses them when its URL moves to another site", async () => {
  const collector = { ...target, url: "https://otlp.example/v1", format: "otlp" } as const;
  const { sealed_headers } = await sealTarget(collector, { headers: "Api-Key=s%2C1,x-a=b=c" });
  const stored = { ...collector, sealed_headers, sealed_routing_key: null } as unknown as StoredEventEndpoint;
  expect(sealed_headers).not.toContain("s,1");
  expect(await openHeaders(stored)).toEqual({ "api-key": "s,1", "x-a": "b=c" });
  const moved = { ...collector, url: "https://attacker.example/" };
  expect((await sealTarget(collector, {}, stored)).sealed_headers).toBe(sealed_headers);
  expect((await sealTarget(moved, {}, stored)).sealed_headers).toBeNull();
  expect((await sealTarget(collector, { headers: null }, stored)).sealed_headers).toBeNull();
  await expect(openHeaders({ ...stored, url: moved.url })).rejects.toThrow("cannot be decrypted");
});

it("event endpoint for a collector is refused with headers of the connection and with event types that have no trace", async () => {
  const collector = { id: "e1", url: "https://otlp.example", format: "otlp" } as const;
  const types = ["run.completed", "alert.received"] as const;
  const other = sealTarget({ ...collector, types }, {});
  await expect(other).rejects.toMatchObject({ code: "validation_failed" });
  const reserved = sealTarget({ ...collector, types: ["run.failed"] }, { headers: "a=b, Host=c" });
  await expect(reserved).rejects.toMatchObject({ code: "validation_failed" });
});

it.each([
  ["mailto:ann@acme.example", "email", null],
  ["mailto:ann@OPS.example", "email", null],
  ["mailto:ann@other.example", "email", "conflict"],
  ["mailto:ann@not-acme.example", "email", "conflict"],
  ["mailto:ann@acme.example", "standard", "validation_failed"],
  [url, "email", "validation_failed"],
] as const)("check of an event endpoint %s with the format %s ends with error %s", async (address, format, code) => {
  const check = sealTarget({ ...target, url: address, format }, {});
  if (code === null) expect(await check).toEqual({ sealed_routing_key: null, sealed_headers: null });
  else await expect(check).rejects.toMatchObject({ code });
});

it("event endpoint with the format email is refused when no sender is configured", async () => {
  vi.stubEnv("EMAIL_FROM", "");
  const check = sealTarget({ ...target, url: "mailto:ann@acme.example", format: "email" }, {});
  await expect(check).rejects.toMatchObject({ code: "conflict" });
});

it("sendEmail() sends a signed request in the format of Amazon SES", async () => {
  const received: { path: string; authorization: string; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    received.push({ path: String(request.url), authorization: String(request.headers.authorization), body });
    response.end('{"MessageId":"1"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vi.stubEnv("AWS_ENDPOINT_URL_SESV2", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "id");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "key");
  try {
    await sendEmail({ from: "bot@acme.example", to: "ann@acme.example", subject: "Alert", text: "It burns" });
  } finally {
    vi.unstubAllEnvs();
    server.closeAllConnections();
    server.close();
  }
  const Charset = "UTF-8";
  expect(received).toEqual([
    {
      path: "/v2/email/outbound-emails",
      authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/eu-west-1\/ses\/aws4_request/),
      body: {
        FromEmailAddress: "bot@acme.example",
        Destination: { ToAddresses: ["ann@acme.example"] },
        Content: {
          Simple: { Subject: { Data: "Alert", Charset }, Body: { Text: { Data: "It burns", Charset } } },
        },
      },
    },
  ]);
});
