import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { Investigate } from "#shared/api/webhooks/investigate.ts";
import { addMessage } from "#shared/conversations/message-store.ts";
import { keys } from "#shared/dynamodb/keys.ts";
import { TransactionFailed } from "#shared/dynamodb/table.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { admitAlert } from "#shared/investigations/admit-alert.ts";
import { reserveBudget } from "#shared/investigations/budget-store.ts";
import { listLatestInvestigations } from "#shared/investigations/investigation-store.ts";
import { readRecords } from "#shared/investigations/record-store.ts";
import { findFirstQueued, readSlots, takeSlotWrite } from "#shared/investigations/slots.ts";
import { newId } from "#shared/lib/ids.ts";
import { alertMessage } from "#shared/webhooks/alert-message.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const sent: string[] = [];
vi.mock("#shared/lib/aws/sqs.ts", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  sendToQueue: async (_: string, body: string) => {
    sent.push(body);
  },
}));

const settings: Investigate = {
  persona: "p",
  min_severity: "high",
  match: {},
  budget: { tokens_per_day: 30_000, tokens_per_run: 10_000, usd_per_day: null },
  max_minutes: 10,
  window_minutes: 15,
  mute: [],
  set_by: "u",
};

let table: MeteredTable;
let scope: { tenantId: string };
const conversation = newId();

beforeAll(async () => {
  table = await startMeteredTable();
  Object.assign(process.env, { CONTINUE_RUN_QUEUE_URL: "continue", WATCH_RUN_QUEUE_URL: "watch" });
});
afterAll(() => table?.stop());
beforeEach(async () => {
  scope = { tenantId: newId() };
  sent.length = 0;
  await setChannel({});
});

async function setChannel(changes: Partial<Investigate>) {
  await tenantTable(scope).write({
    put: {
      ...keys.webhook(scope.tenantId, "c"),
      ...{ channel_id: "c", tenant_id: scope.tenantId, registration_id: "r", conversation_id: conversation },
      ...{ sealed_secret: null, previous_sealed_secret: null, previous_sealed_until: null, signature_scheme: "hmac" },
      ...{ topic_arn: null, secret_version: 1, previous_secret_until: null, created_at: "2026-11-25T10:00:00Z" },
      ...{ paths: null, write_back: null, sealed_write_back_secret: null, slack: null, teams: null },
      investigate: { ...settings, ...changes },
    },
  });
}

/** Adds the message of an alert and lets it be considered. @returns the message, to consider it again */
async function raise(
  service: string,
  {
    severity = "high",
    state = "open",
    incident = service,
    title = `Alert of ${service}`,
  }: { severity?: "low" | "high" | "critical"; state?: "open" | "resolved"; incident?: string; title?: string } = {},
) {
  const message = alertMessage(
    conversation,
    {
      ...{ provider: "alertmanager", severity, title, description: "d", alert_id: newId(), state, is_test: false },
      ...{ triggered_at: "2026-11-25T10:00:00Z", details: {}, link: null, metadata: { labels: { service } } },
    },
    null,
  );
  await addMessage(scope, message);
  const delivery = { channelId: "c", messageId: message.message_id, incident };
  await admitAlert(scope, delivery);
  return delivery;
}

const list = () => listLatestInvestigations(scope, 100);

it("alert of a channel with investigations starts an investigation for its incident, and later alerts of the incident join it", async () => {
  for (let n = 0; n < 5; n++) await raise("shop");
  const [investigation, ...others] = await list();
  expect(others).toEqual([]);
  expect((await readRecords(scope, String(investigation?.id))).alerts).toHaveLength(5);
  expect(sent.map((body) => Object.keys(JSON.parse(body))[1])).toEqual(["startsInvestigations", "investigation"]);
});

it("alert of a channel with investigations joins an existing investigation of the same service unless the alert is more severe", async () => {
  await raise("shop", { incident: "1" });
  await raise("shop", { incident: "2" });
  expect(await list()).toHaveLength(1);
  await raise("shop", { incident: "3", severity: "critical" });
  expect((await list()).map(({ severity }) => severity)).toEqual(["critical", "high"]);
});

it("alert whose change is delivered again requests the start of its investigation again, but creates no second investigation", async () => {
  const delivery = await raise("shop");
  sent.length = 0;
  await admitAlert(scope, delivery);
  expect([(await list()).length, sent.length]).toEqual([1, 2]);
});

it.each([
  ["is less severe than the settings say", {}, { severity: "low" }],
  ["is an alarm of this service", {}, { title: "switchboard-prod-errors" }],
  ["does not match", { match: { service: "bank-*" } }, {}],
  ["is muted", { mute: [{ match: { service: "sh*" }, from: null, until: null }] }, {}],
  [
    "is in a maintenance window",
    { mute: [{ match: {}, from: "2020-01-01T00:00:00Z", until: "2999-01-01T00:00:00Z" }] },
    {},
  ],
] as const)("alert of a channel with investigations starts no investigation when it %s", async (_, changes, alert) => {
  await setChannel(changes as Partial<Investigate>);
  await raise("shop", alert);
  expect(await list()).toEqual([]);
});

it("alert of a channel with investigations starts an investigation if the channel's maintenance window has already ended", async () => {
  await setChannel({ mute: [{ match: {}, from: null, until: "2020-01-01T00:00:00Z" }] });
  await raise("shop");
  expect(await list()).toHaveLength(1);
});

it("waiting investigation of a channel is skipped without a run when its alert is resolved", async () => {
  await raise("shop");
  await raise("shop", { state: "resolved" });
  expect(await list()).toMatchObject([{ status: "skipped", reason: "resolved", state: "resolved" }]);
  expect(await findFirstQueued(scope)).toBeUndefined();
});

it("alert of a channel starts no second investigation while its incident reopens repeatedly, but one after a quiet period", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    for (let n = 0; n < 4; n++) {
      await raise("shop");
      await raise("shop", { state: "resolved" });
      vi.setSystemTime(Date.now() + 10 * 60_000);
    }
    expect(await list()).toHaveLength(1);
    vi.setSystemTime(Date.now() + 6 * 60_000);
    await raise("shop");
    expect(await list()).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

it("queue of investigations returns the oldest investigation with the highest severity first", async () => {
  await raise("a");
  await raise("b", { severity: "critical" });
  await raise("c", { severity: "critical" });
  const first = await findFirstQueued(scope);
  expect((await list()).find(({ id }) => id === first?.id)?.service).toBe("b");
});

it("slot for a running investigation can be taken once, and at most three slots exist", async () => {
  const slots = await readSlots(scope);
  const take = (read: typeof slots, id: string) => tenantTable(scope).transact([takeSlotWrite(scope, read, id, 10)]);
  await take(slots, "1");
  await expect(take(slots, "2")).rejects.toThrow(TransactionFailed);
  await take(await readSlots(scope), "2");
  await take(await readSlots(scope), "3");
  expect((await readSlots(scope)).free).toBe(0);
});

it("daily budget for the investigations of a channel refuses a reservation that exceeds it", async () => {
  const reserve = () => reserveBudget(scope, "c", settings.budget);
  const [first, second] = await Promise.all([reserve(), reserve()]);
  for (const reservation of [first, second, await reserve()]) {
    if (reservation) await tenantTable(scope).write(reservation.write);
  }
  expect(await reserve()).toBeNull();
});
