import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Investigate } from "#shared/api/webhooks/investigate.ts";
import type { UserPrincipal } from "#shared/auth/principal.ts";
import { addMessage } from "#shared/conversations/message-store.ts";
import { keys } from "#shared/dynamodb/keys.ts";
import { TransactionFailed } from "#shared/dynamodb/table.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { admitAlert } from "#shared/investigations/admit-alert.ts";
import { reserveBudget } from "#shared/investigations/budget-store.ts";
import {
  anyStatus,
  changeInvestigation,
  listLatestInvestigations,
  listMerged,
  type StoredInvestigation,
} from "#shared/investigations/investigation-store.ts";
import { listReadable } from "#shared/investigations/list-readable.ts";
import { mergeInvestigation } from "#shared/investigations/merge-investigation.ts";
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

// All channels can be read here.
vi.mock("#shared/conversations/authorize-conversation.ts", () => ({ authorizeConversation: async () => {} }));

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

/** Stores the channel with changed settings of investigations, or without these. */
async function setChannel(changes: Partial<Investigate> | null) {
  await tenantTable(scope).write({
    put: {
      ...keys.webhook(scope.tenantId, "c"),
      ...{ channel_id: "c", tenant_id: scope.tenantId, registration_id: "r", conversation_id: conversation },
      ...{ sealed_secret: null, previous_sealed_secret: null, previous_sealed_until: null, signature_scheme: "hmac" },
      ...{ topic_arn: null, secret_version: 1, previous_secret_until: null, created_at: "2026-11-25T10:00:00Z" },
      ...{ paths: null, write_back: null, sealed_write_back_secret: null, slack: null, teams: null },
      investigate: changes && { ...settings, ...changes },
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
    details = {},
  }: {
    severity?: "low" | "high" | "critical";
    state?: "open" | "acknowledged" | "resolved" | null;
    incident?: string;
    title?: string;
    details?: Record<string, string>;
  } = {},
) {
  const message = alertMessage(
    conversation,
    {
      ...{ provider: "alertmanager", severity, title, description: "d", alert_id: newId(), state, is_test: false },
      ...{ triggered_at: "2026-11-25T10:00:00Z", details, link: null, metadata: { labels: { service } } },
    },
    null,
  );
  await addMessage(scope, message);
  const delivery = { channelId: "c", messageId: message.message_id, incident };
  await admitAlert(scope, delivery);
  return delivery;
}

const list = () => listLatestInvestigations(scope, 100);

/** Silences an incident for an hour. */
async function silence(id: string) {
  const silenced_until = new Date(Date.now() + 3_600_000).toISOString();
  expect(await changeInvestigation(scope, { id, conversation_id: conversation }, anyStatus, { silenced_until })).toBe(
    true,
  );
}

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
  ["is less severe than the settings say", {}, { severity: "low" }, ["severity"]],
  ["is an alarm of this service", {}, { title: "switchboard-prod-errors" }, ["own_alarm"]],
  ["does not match", { match: { service: "bank-*" } }, {}, ["match"]],
  ["is muted", { mute: [{ match: { service: "sh*" }, from: null, until: null }] }, {}, []],
  [
    "is in a maintenance window",
    { mute: [{ match: {}, from: "2020-01-01T00:00:00Z", until: "2999-01-01T00:00:00Z" }] },
    {},
    [],
  ],
] as const)(
  "alert of a channel with investigations starts no investigation when it %s",
  async (_, changes, alert, reasons) => {
    await setChannel(changes as Partial<Investigate>);
    await raise("shop", alert);
    expect((await list()).map(({ status, state, reason }) => [status, state, reason])).toEqual(
      reasons.map((reason) => ["skipped", "open", reason]),
    );
    expect(await findFirstQueued(scope)).toBeUndefined();
  },
);

describe("open incident that was not investigated", () => {
  beforeEach(() => setChannel(null));

  it("open incident that was not investigated is one record with its present state and the person who is responsible", async () => {
    await raise("shop");
    await raise("shop", { details: { "Assigned to": "Anna Berg" } });
    expect(await list()).toMatchObject([
      { reason: "off", state: "open", assigned_to: "Anna Berg", ended_at: expect.any(String) },
    ]);
    await raise("shop", { state: "acknowledged" });
    expect(await list()).toMatchObject([{ state: "acknowledged", assigned_to: "Anna Berg" }]);
  });

  it("open incident that was not investigated leaves no record when it is resolved, unless a person has changed it", async () => {
    await raise("shop");
    await raise("bank");
    const [bank] = await list();
    await silence(String(bank?.id));
    await raise("shop", { state: "resolved" });
    await raise("bank", { state: "resolved" });
    expect(await list()).toMatchObject([{ service: "bank", state: "resolved" }]);
    await raise("shop");
    expect(await list()).toHaveLength(2);
  });

  it("open incident that was not investigated becomes an investigation when its alert is repeated after the channel turns them on", async () => {
    await raise("shop", { severity: "low" });
    await setChannel({});
    await raise("shop", { severity: "critical" });
    expect(await list()).toMatchObject([
      { status: "queued", reason: null, severity: "critical", persona_id: "p", user_id: "u", ended_at: null },
    ]);
    expect((await findFirstQueued(scope))?.id).toBe((await list())[0]?.id);
  });

  it("incident that was acknowledged before its first alert is considered is recorded, but not investigated until it opens again", async () => {
    await setChannel({});
    await raise("shop", { state: "acknowledged" });
    expect(await list()).toMatchObject([{ status: "skipped", reason: "acknowledged", state: "acknowledged" }]);
    await raise("shop");
    expect(await list()).toMatchObject([{ status: "queued", reason: null, state: "open" }]);
  });

  it("alert without a state is not recorded as an open incident", async () => {
    await raise("shop", { state: null });
    expect(await list()).toEqual([]);
  });
});

it("alert of a silenced or merged incident starts no second investigation, but its state is stored", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    await raise("shop");
    await raise("bank");
    const [bank, shop] = await list();
    await silence(String(shop?.id));
    await mergeInvestigation(scope, bank as StoredInvestigation, String(shop?.id));
    vi.setSystemTime(Date.now() + 30 * 60_000);
    for (const service of ["shop", "bank"]) await raise(service, { details: { "Assigned to": "Anna Berg" } });
    expect((await list()).map(({ assigned_to }) => assigned_to)).toEqual(["Anna Berg", "Anna Berg"]);
    vi.setSystemTime(Date.now() + 60 * 60_000);
    await raise("shop");
    expect(await list()).toHaveLength(3);
  } finally {
    vi.useRealTimers();
  }
});

it("new investigation of an incident that is still open replaces its earlier one", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    await raise("shop");
    vi.setSystemTime(Date.now() + 30 * 60_000);
    await raise("shop");
    const [latest, earlier] = await list();
    expect([earlier?.merged_into, latest?.merged_count]).toEqual([latest?.id, 1]);
  } finally {
    vi.useRealTimers();
  }
});

describe("open incidents", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());
  const wait = () => vi.setSystemTime(Date.now() + 30 * 60_000);
  const resolve = (service: string) => raise(service, { state: "resolved" });
  const listOpen = async () => {
    const { entries } = await listReadable(scope as UserPrincipal, "open", { limit: 10 });
    return entries.map(({ service }) => service).sort();
  };
  const find = async (service: string) =>
    (await list()).find((each) => each.service === service) as StoredInvestigation;

  it("open incidents do not include an earlier investigation of an incident that was resolved", async () => {
    await raise("shop");
    wait();
    await raise("shop");
    expect(await listOpen()).toEqual(["shop"]);
    await resolve("shop");
    expect(await listOpen()).toEqual([]);
  });

  it("open incidents include one again that was merged into another one, when that is resolved after several investigations", async () => {
    await raise("shop");
    await raise("bank");
    await mergeInvestigation(scope, await find("bank"), (await find("shop")).id);
    wait();
    await raise("shop");
    expect(await listOpen()).toEqual(["shop"]);
    await resolve("shop");
    expect(await listOpen()).toEqual(["bank"]);
    await mergeInvestigation(scope, await find("bank"), null);
    expect((await find("bank")).merged_into).toBeNull();
  });

  it("open incidents start an investigation again when the one that they were merged into was resolved", async () => {
    await raise("shop");
    await raise("bank");
    await mergeInvestigation(scope, await find("bank"), (await find("shop")).id);
    await resolve("shop");
    await resolve("bank");
    wait();
    await raise("bank");
    expect((await list()).filter(({ service }) => service === "bank")).toHaveLength(2);
  });

  it("open incidents that are not investigated have a record for each occurrence if a user acknowledged the last one", async () => {
    await setChannel(null);
    await raise("shop");
    await changeInvestigation(scope, await find("shop"), anyStatus, { acknowledged_by: "u" });
    await resolve("shop");
    wait();
    await raise("shop");
    expect((await list()).map(({ acknowledged_by }) => acknowledged_by)).toEqual([null, "u"]);
  });
});

it("investigation is merged into another one and separated again, but not into one that was merged itself", async () => {
  for (const service of ["a", "b", "c"]) await raise(service);
  const find = async (service: string) =>
    (await list()).find((each) => each.service === service) as StoredInvestigation;
  const merge = async (from: string, into: string | null) =>
    mergeInvestigation(scope, await find(from), into && (await find(into)).id);
  await merge("a", "b");
  await merge("a", "c");
  expect([(await find("b")).merged_count, (await find("c")).merged_count]).toEqual([0, 1]);
  expect((await listMerged(scope, await find("c"))).map(({ service }) => service)).toEqual(["a"]);
  for (const [from, into] of [
    ["c", "b"],
    ["b", "a"],
    ["b", "b"],
  ] as const) {
    await expect(merge(from, into)).rejects.toMatchObject({ code: "conflict" });
  }
  await merge("a", null);
  expect([(await find("a")).merged_into, (await find("c")).merged_count]).toEqual([null, 0]);
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
