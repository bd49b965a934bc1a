import { createHmac, randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import type { UserPrincipal } from "#shared/auth/principal.ts";
import { invoke, setFunctionEnvironment } from "#test/support/handler-events.ts";
import { sized } from "#test/support/run-size.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";
import { type LifeEvent, type SourceEvents, sourceEvents } from "#test/support/webhooks/source-events.ts";
import { createConversationHandler as createConversation } from "../../../functions/api/conversations/conversations.ts";
import { listMessagesHandler as listMessages } from "../../../functions/api/conversations/messages.ts";
import {
  ingestAlertHandler as ingestAlert,
  registerWebhookHandler as registerWebhook,
} from "../../../functions/api/webhooks/webhooks.ts";

let table: MeteredTable;

beforeAll(async () => {
  setFunctionEnvironment({ RATE_LIMIT_CHANNEL: "1000000", RATE_LIMIT_TENANT: "1000000" });
  table = await startMeteredTable();
});

afterEach(() => void vi.useRealTimers());
afterAll(() => table?.stop());

async function createChannel() {
  const principal: UserPrincipal = {
    ...{ kind: "user", tenantId: `t-${randomUUID()}`, userId: "me", roles: ["admin"] },
    ...{ email: null, name: null, provider: "local", expiresAt: null },
  };
  const { body: conversation } = await invoke(createConversation, { path: "/", body: '{"title":"Alerts"}', principal });
  const channel_id = `c-${randomUUID()}`;
  const registration = await invoke(registerWebhook, {
    path: "/v1/webhooks/register",
    body: JSON.stringify({ channel_id, conversation_id: conversation.id }),
    principal,
  });
  const deliver = async (payload: object) => {
    const body = JSON.stringify(payload);
    const signature = createHmac("sha256", registration.body.secret).update(body).digest("hex");
    const headers = { "X-Webhook-Signature": signature };
    return invoke(ingestAlert, { path: `/v1/webhooks/${channel_id}`, params: { channel_id }, headers, body });
  };
  const messages = async () =>
    (await invoke(listMessages, { method: "GET", path: "/", body: "", params: { id: conversation.id }, principal }))
      .body.messages as { parent_id: string | null; message_id: string; alert: { state: string | null } }[];
  return { deliver, messages };
}

const life: readonly LifeEvent[] = ["open", "acknowledge", "resolve", "reopen"];
const timeOf = (name: LifeEvent) => new Date(Date.UTC(2026, 10, 20, 10, life.indexOf(name) * 5));

function permute<Value>(values: readonly Value[]): Value[][] {
  if (values.length === 0) return [[]];
  return values.flatMap((value, n) => permute(values.toSpliced(n, 1)).map((rest) => [value, ...rest]));
}

/** Delivers events in an order, each twice, and expects one thread with the state of the latest event. */
async function expectThread({ event, isTimed = true }: SourceEvents, order: readonly LifeEvent[]): Promise<void> {
  const { deliver, messages } = await createChannel();
  const payloads = order.map((name) => event(name, timeOf(name))).filter((payload) => payload !== undefined);
  for (const payload of payloads) {
    const answers = [await deliver(payload), await deliver(payload)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    // Without times, a repeated delivery is answered with the message of the first identical one.
    if (isTimed) expect(answers[1]?.body.message_id).toBe(answers[0]?.body.message_id);
  }
  const [root, ...replies] = await messages();
  expect(replies.length).toBe(payloads.length - 1);
  expect(new Set(replies.map(({ parent_id }) => parent_id))).toEqual(
    new Set(replies.length > 0 ? [root?.message_id] : []),
  );
  const known = life.filter((name) => event(name, timeOf(name)));
  const last = isTimed ? known.at(-1) : order.filter((name) => known.includes(name)).at(-1);
  const states = { open: "open", acknowledge: "acknowledged", resolve: "resolved", reopen: "open" };
  const state = last && root?.alert.state !== null ? states[last] : null;
  expect([order, root?.alert.state]).toEqual([order, state]);
}

const orderCount = sized({ usual: 2, full: 24, soak: 24 });

it.each(sourceEvents.map((sample, n) => [`${sample.source} (${n})`, sample] as const))(
  `incident of %s is one thread with the state of its latest event when open, acknowledge, resolve and reopen arrive twice in ${orderCount} orders`,
  async (_, sample) => {
    // Without times, the order of arrival is that of the events.
    const orders = sample.isTimed === false ? [life] : permute(life).toReversed().slice(0, orderCount);
    for (const order of [life, ...orders]) await expectThread(sample, order);
  },
);

it("acknowledgement with the time of the resolution does not open the incident again, in any order", async () => {
  for (const order of permute(["triggered", "acknowledged", "resolved"])) {
    const { deliver, messages } = await createChannel();
    for (const status of order) {
      const at = status === "triggered" ? "2026-11-20T10:00:00Z" : "2026-11-20T10:05:00Z";
      const data = { id: "Q1", type: "incident", title: "Disk full", urgency: "high", status };
      await deliver({ event: { id: randomUUID(), event_type: `incident.${status}`, occurred_at: at, data } });
    }
    expect([order, (await messages())[0]?.alert.state]).toEqual([order, "resolved"]);
  }
});
