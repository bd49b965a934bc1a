import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventType } from "#shared/api/events/event-data.ts";
import { openRoutingKey, sealRoutingKey } from "#shared/events/check-target.ts";
import type { StoredEndpoint } from "#shared/events/endpoint-store.ts";
import { renderPagerduty } from "#shared/events/render-pagerduty.ts";
import { sendEmail } from "#shared/lib/aws/ses.ts";

const timestamp = "2026-11-25T10:00:00.000Z";
const render = (type: EventType, data: object) => {
  const event = renderPagerduty({ type, event_id: "evt_1", payload: JSON.stringify({ type, timestamp, data }) }, "R1");
  return event === null ? null : JSON.parse(event);
};

describe("PagerDuty event", () => {
  it("opens an incident for an alert, and the end of the alert resolves the same one", () => {
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

  it("is not sent for an alert of PagerDuty, which would return as another one", () => {
    expect(render("alert.received", { message_id: "m1", alert: { provider: "pagerduty" } })).toBeNull();
  });

  it.each([
    ["approval.requested", { id: "a" }, "trigger", "switchboard:approval:a"],
    ["approval.decided", { id: "a" }, "resolve", "switchboard:approval:a"],
    ["budget.reached", { budget_id: "b", window: "2026-11", percent: 100 }, "trigger", "switchboard:budget:b:2026-11"],
    ["run.completed", { message_id: "m" }, "trigger", "switchboard:evt_1"],
  ] as const)("of %s has its action and key", (type, data, action, key) => {
    expect(render(type, data)).toMatchObject({ event_action: action, dedup_key: key });
  });
});

describe("target of an event endpoint", () => {
  beforeEach(() => {
    vi.stubEnv("APP_SECRET", "an-app-secret-of-32-characters-xx");
    vi.stubEnv("EMAIL_FROM", "bot@acme.example");
    vi.stubEnv("EMAIL_DOMAINS", "acme.example,ops.example");
  });
  afterEach(() => vi.unstubAllEnvs());

  const url = "https://events.pagerduty.com/v2/enqueue";
  const target = { id: "e1", url, format: "pagerduty" } as const;

  it("keeps the routing key for its site, and needs it again for another one", async () => {
    const sealed_routing_key = await sealRoutingKey(target, "routingkey");
    expect(sealed_routing_key).not.toContain("routingkey");
    const stored = { ...target, sealed_routing_key } as StoredEndpoint;
    expect(await openRoutingKey(stored)).toBe("routingkey");
    expect(await sealRoutingKey({ ...target, url: `${url}?x` }, undefined, stored)).toBe(sealed_routing_key);
    const moved = { ...target, url: "https://attacker.example/" };
    await expect(sealRoutingKey(moved, undefined, stored)).rejects.toMatchObject({ code: "validation_failed" });
    await expect(openRoutingKey({ ...stored, url: moved.url })).rejects.toThrow("cannot be decrypted");
  });

  it.each([
    ["mailto:ann@acme.example", "email", null],
    ["mailto:ann@OPS.example", "email", null],
    ["mailto:ann@other.example", "email", "conflict"],
    ["mailto:ann@not-acme.example", "email", "conflict"],
    ["mailto:ann@acme.example", "standard", "validation_failed"],
    [url, "email", "validation_failed"],
  ] as const)("%s with the format %s is refused with %s", async (address, format, code) => {
    const check = sealRoutingKey({ id: "e1", url: address, format }, undefined);
    if (code === null) expect(await check).toBeNull();
    else await expect(check).rejects.toMatchObject({ code });
  });

  it("gets no e-mail without a sender", async () => {
    vi.stubEnv("EMAIL_FROM", "");
    const check = sealRoutingKey({ id: "e1", url: "mailto:ann@acme.example", format: "email" }, undefined);
    await expect(check).rejects.toMatchObject({ code: "conflict" });
  });
});

it("e-mail is sent with a signed request as Amazon SES documents it", async () => {
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
