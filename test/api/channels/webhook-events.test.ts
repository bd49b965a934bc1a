import { createHmac, randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { UserPrincipal } from "#shared/auth/principal.ts";
import { alertSamples } from "#test/support/channels/alert-payloads.ts";
import { invoke, type RestRequest, setFunctionEnvironment } from "#test/support/handler-events.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";
import { handler as createConversation } from "../../../functions/api/conversations/create-conversation.ts";
import { handler as listMessages } from "../../../functions/api/messages/list-messages.ts";
import { handler as ingestAlert } from "../../../functions/api/webhooks/ingest-alert.ts";
import { handler as listDeliveries } from "../../../functions/api/webhooks/list-deliveries.ts";
import { handler as registerWebhook } from "../../../functions/api/webhooks/register-webhook.ts";

/** Here the handlers run in the test's process, so that events are to the byte what the test says, and the clock as well. */

let table: MeteredTable;
const handlers = {
  conversation: createConversation,
  register: registerWebhook,
  messages: listMessages,
  deliveries: listDeliveries,
};

const now = Date.parse("2026-10-02T18:50:00Z");
const setClock = (milliseconds: number) => vi.useFakeTimers({ toFake: ["Date"], now: milliseconds });

beforeAll(async () => {
  setFunctionEnvironment({ RATE_LIMIT_CHANNEL: "1000000", RATE_LIMIT_TENANT: "1000000" });
  table = await startMeteredTable();
});

afterEach(() => void vi.useRealTimers());
afterAll(() => table?.stop());

async function channel(extra: Record<string, unknown> = {}) {
  const principal: UserPrincipal = {
    ...{ kind: "user", tenantId: `t-${randomUUID()}`, userId: "me", roles: ["admin"] },
    ...{ email: null, name: null, provider: "local", expiresAt: null },
  };
  const call = (name: keyof typeof handlers, request: Partial<RestRequest>) =>
    invoke(handlers[name], { path: "/", body: "", ...request, principal });
  const { body: conversation } = await call("conversation", { body: '{"title":"Alerts"}' });
  const id = `c-${randomUUID()}`;
  const wanted = { channel_id: id, conversation_id: conversation.id, ...extra };
  const registered = await call("register", { path: "/v1/webhooks/register", body: JSON.stringify(wanted) });
  const secret = registered.body.secret as string;
  const sign = (body: string | Buffer, key = secret) => createHmac("sha256", key).update(body).digest("hex");
  const deliver = (body: string | Buffer, headers: Record<string, string> = {}, isBase64Encoded = false) =>
    invoke(ingestAlert, {
      path: `/v1/webhooks/${id}`,
      params: { channel_id: id },
      headers: { "X-Webhook-Signature": sign(body), ...headers },
      body,
      isBase64Encoded,
    });
  const list = async (name: "messages" | "deliveries", params: Record<string, string>) =>
    (await call(name, { method: "GET", params })).body[name];
  return {
    sign,
    deliver,
    messages: () => list("messages", { id: conversation.id }),
    deliveries: () => list("deliveries", { channel_id: id }),
  };
}

const alert = (description = "Quota at 80 %") => JSON.stringify({ severity: "low", description });

describe("a timestamp", () => {
  it.each([
    [0, 200],
    [299_999, 200],
    [300_000, 200],
    [300_001, 401],
    [3_600_000, 401],
  ])("%i ms away from now, before or after, is answered with %i", async (distance, status) => {
    const { deliver } = await channel();
    setClock(now);
    for (const at of [now - distance, now + distance]) {
      expect((await deliver(alert(String(at)), { "X-Webhook-Timestamp": String(at) })).status).toBe(status);
    }
  });

  it.each(["", " ", "soon", "1e400", "NaN", "2026-10-02T18:50:00Z", String(now / 1_000)])(
    "that is no number of milliseconds is refused: %j",
    async (given) => {
      const { deliver } = await channel();
      setClock(now);
      expect((await deliver(alert(), { "X-Webhook-Timestamp": given })).status).toBe(401);
    },
  );
});

describe("a signature", () => {
  const bodies = {
    "line ends of Windows": '{\r\n  "severity": "high",\r\n  "description": "two\\r\\nlines"\r\n}\r\n',
    "no ASCII": '{"severity":"high","description":"Größe überschritten 🚨 日本語"}',
    "escapes that others would write differently": '{"severity":"high","description":"\\u00e9\\/\\u2028"}',
    "a byte order mark": '\ufeff{"severity":"high","description":"marked"}',
  };

  it.each(Object.entries(bodies))("is of the bytes that were sent: %s", async (name, text) => {
    const { deliver, sign, messages } = await channel();
    const raw = Buffer.from(text);
    // JSON may not begin with a mark; that is said once the signature is found good.
    const status = name === "a byte order mark" ? 400 : 200;
    const plain = await deliver(raw);
    const encoded = await deliver(raw, {}, true);
    expect([plain.status, encoded.status]).toEqual([status, status]);
    expect(encoded.body.message_id).toBe(plain.body.message_id);
    const reserialised = JSON.stringify(JSON.parse(text.replace("\ufeff", "")), null, 1);
    for (const isBase64Encoded of [false, true]) {
      const headers = { "X-Webhook-Signature": sign(raw) };
      expect((await deliver(reserialised, headers, isBase64Encoded)).status).toBe(401);
    }
    expect((await messages()).length).toBe(status === 200 ? 1 : 0);
  });

  it("of bytes that are no text is compared all the same", async () => {
    const { deliver, sign } = await channel();
    const raw = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]);
    expect((await deliver(raw, {}, true)).status).toBe(400);
    expect((await deliver(raw, { "X-Webhook-Signature": sign("{}") }, true)).status).toBe(401);
  });

  it("is taken in either case, with spaces around it, and in no other form", async () => {
    const { deliver, sign } = await channel();
    const foreign = await channel();
    const good = sign(alert());
    for (const given of [good, good.toUpperCase(), ` ${good} `]) {
      expect((await deliver(alert(), { "X-Webhook-Signature": given })).status).toBe(200);
    }
    const truncated = [good.slice(0, -1), good.slice(1), good.slice(0, 32), good.slice(0, 62)];
    const doubled = [good + good, `${good},${good}`, `${good} ${good}`];
    const others = [foreign.sign(alert()), sign(alert("other")), sign(alert(), "0".repeat(64)), "0".repeat(64)];
    const forms = [`sha256=${good}`, `0x${good}`, Buffer.from(good, "hex").toString("base64"), `v1=${good}`, "", " "];
    for (const given of [...truncated, ...doubled, ...others, ...forms]) {
      const { status, body } = await deliver(alert(), { "X-Webhook-Signature": given });
      expect([given, status, body.code]).toEqual([given, 401, "unauthorized"]);
    }
  });

  it("of PagerDuty may be one of several, of its secret or ours", async () => {
    const secret = "the secret that PagerDuty made";
    const { deliver, sign } = await channel({ provider_secret: secret });
    const raw = JSON.stringify(alertSamples[0]?.payload);
    const [good, bad] = [`v1=${sign(raw, secret)}`, `v1=${"ab".repeat(32)}`];
    const post = async (given: string) =>
      (await deliver(raw, { "X-Webhook-Signature": "", "X-PagerDuty-Signature": given })).status;
    for (const given of [good, `${bad},${good}`, `${good},${bad}`, `${bad}, ${good}`, `v1=${sign(raw)}`]) {
      expect(await post(given)).toBe(200);
    }
    const crowd = `${Array(10).fill(bad).join(",")},${good}`;
    for (const given of [bad, `${bad},${bad}`, good.slice(0, -1), `v2=${sign(raw, secret)}`, crowd, ""]) {
      expect([given, await post(given)]).toEqual([given, 401]);
    }
  });
});

describe("a delivery that comes again", () => {
  it("the samples are forty", () => expect(alertSamples.length).toBe(40));

  it.each(alertSamples)("$name: five at once and one an hour later are one message", async (sample) => {
    const { deliver, messages, deliveries } = await channel();
    const raw = JSON.stringify(sample.payload);
    const post = () => deliver(raw, { ...sample.headers, "X-Webhook-Timestamp": String(Date.now()) });
    setClock(now);
    const answers = await Promise.all(Array.from({ length: 5 }, post));
    setClock(now + 3_600_000);
    answers.push(await post());
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const [{ body: first }] = answers as [(typeof answers)[0]];
    for (const { body } of answers) {
      expect([body.message_id, body.alert_id]).toEqual([first.message_id, first.alert_id]);
    }
    const [message, ...others] = await messages();
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      message_id: first.message_id,
      role: "alert",
      alert: { provider: sample.provider, severity: sample.severity, alert_id: first.alert_id },
    });
    expect(message.alert.description.startsWith(sample.description)).toBe(true);
    expect(await deliveries()).toMatchObject([{ message_id: first.message_id, duplicates: 5 }]);
  });
});
