import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { AuditEvent } from "#shared/api/governance/audit.ts";
import { keys } from "#shared/dynamodb/keys.ts";
import { listPage } from "#shared/dynamodb/pagination.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { toEvents } from "#shared/events/to-event.ts";
import type { UnchainedEvent } from "#shared/governance/audit/audit-chain.ts";
import { appendEvents, getChainHead, listEvents, listEventsAfter } from "#shared/governance/audit/audit-store.ts";
import { verifyChain } from "#shared/governance/audit/verify-chain.ts";
import { addUsageWrite, toSubjectKey } from "#shared/governance/usage/usage-store.ts";
import { seededRandom } from "#test/support/knowledge/synthetic-text.ts";
import { sized } from "#test/support/run-size.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

/** Number of concurrent writers, deliveries per writer, and manipulated bytes. */
const writers = sized({ usual: 12, full: 20 });
const deliveries = sized({ usual: 5, full: 10, soak: 20 });
const tamperings = sized({ usual: 60, full: 200, soak: 1_000 });

const random = seededRandom(23);
const pick = (below: number) => Math.floor(random() * below);

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table.stop());

const createEvent = (n: number): UnchainedEvent => ({
  id: `change-${n}`,
  occurred_at: new Date(1_700_000_000_000 + n).toISOString(),
  actor: { type: "user", id: `u-${n % 3}` },
  action: "conversation.updated",
  target: { type: "conversation", id: `c-${n % 7}` },
  details: { changed: ["tier"], before: { tier: "QUICK" }, after: { tier: "THINKING", n } },
});

const readChain = async (tenantId: string): Promise<AuditEvent[]> => {
  const chain: AuditEvent[] = [];
  for (;;) {
    const events = await listEventsAfter({ tenantId }, chain.at(-1)?.seq ?? 0, 1_000);
    if (events.length === 0) return chain;
    chain.push(...events);
  }
};

it("hash chain of audit events contains each change once, in one sequence, when appends are concurrent and repeated", async () => {
  const scope = { tenantId: "many-writers" };
  const total = writers * deliveries * 8;
  const tasks = Array.from({ length: writers }, async (_, writer) => {
    for (let delivery = 0; delivery < deliveries; delivery++) {
      const first = (writer * deliveries + delivery) * 8;
      const events = Array.from({ length: 8 }, (_, n) => createEvent(first + n));
      // Redelivers events in part or whole, concurrently with other writers.
      await Promise.all([appendEvents(scope, events), appendEvents(scope, events.slice(pick(8)))]);
      await appendEvents(scope, [createEvent(pick(first + 1)), ...events, createEvent(first)]);
    }
  });
  await Promise.all(tasks);
  const events = await readChain(scope.tenantId);
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: total }, (_, n) => n + 1));
  expect(new Set(events.map(({ id }) => id)).size).toBe(total);
  expect(await verifyChain(scope)).toMatchObject({ checked: total, broken: null, next: null });
});

it("hash chain of audit events has no gaps after appends were interrupted and repeated", async () => {
  const scope = { tenantId: "interrupted" };
  const events = Array.from({ length: 130 }, (_, n) => createEvent(n));
  for (let attempt = 0; attempt < 6; attempt++) {
    await table.failAfter(attempt % 3, () => appendEvents(scope, events)).catch(() => {});
  }
  await appendEvents(scope, events);
  expect((await readChain(scope.tenantId)).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
  expect((await verifyChain(scope)).broken).toBe(null);
});

it("hash chain of audit events contains a change again if it is delivered after its deduplication mark expired", async () => {
  const scope = { tenantId: "forgetful" };
  await appendEvents(scope, [createEvent(1)]);
  await tenantTable(scope).write({ update: keys.auditMark("forgetful", "change-1"), set: { ttl: 1 } });
  await appendEvents(scope, [createEvent(1), createEvent(2)]);
  expect((await readChain("forgetful")).map(({ id }) => id)).toEqual(["change-1", "change-1", "change-2"]);
});

it("hash chain of audit events is extended by 49 events in two calls to the table", async () => {
  const scope = { tenantId: "metered" };
  const units = await table.measure(() =>
    appendEvents(
      scope,
      Array.from({ length: 49 }, (_, n) => createEvent(n)),
    ),
  );
  expect(units.calls).toBe(2);
  const repeated = await table.measure(() =>
    appendEvents(
      scope,
      Array.from({ length: 49 }, (_, n) => createEvent(n)),
    ),
  );
  expect(repeated.calls).toBeLessThanOrEqual(3);
  console.log(`49 events: ${units.calls} calls, ${units.written} write units`);
});

it("hash chain of audit events is anchored once at the end of each day with entries, with what answers consumed since", async () => {
  const scope = { tenantId: "anchored" };
  const listAnchors = () => tenantTable(scope).query({ pk: keys.auditHead("anchored").pk, prefix: "anchor#" });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-03-01T10:00:00Z") });
  try {
    await appendEvents(scope, [createEvent(1)]);
    await appendEvents(scope, [createEvent(2)]);
    for (const day of ["2026-02-28", "2026-03-01", "2026-03-03", "2026-03-04"]) {
      const usage = { model: "demo", input_tokens: 100, output_tokens: 20, total_tokens: 120, cost_usd: 0.25 };
      const subject = { day, user_id: "u", key_id: null, persona_id: null, persona_version: null, model: "demo" };
      const event = { ...subject, id: day, requests: 1, runs: 1, duration_ms: 5, rules: [], usage };
      await tenantTable(scope).write(addUsageWrite(scope, toSubjectKey(subject), [event as never]));
    }
    expect(await listAnchors()).toEqual([]);
    const last = await getChainHead(scope);
    vi.setSystemTime(Date.parse("2026-03-04T00:00:01Z"));
    await Promise.all([3, 4, 5].map((n) => appendEvents(scope, [createEvent(n)])));
    const totals = { requests: 2, input_tokens: 200, output_tokens: 40, cost_usd: 0.5 };
    const anchor = { from: "2026-03-01", to: "2026-03-03", seq: 2, hash: last.hash, totals };
    expect(await listAnchors()).toMatchObject([anchor]);
    await appendEvents(
      scope,
      Array.from({ length: 60 }, (_, n) => createEvent(100 + n)),
    );
    expect((await listAnchors()).length).toBe(1);
    vi.setSystemTime(Date.parse("2026-03-05T08:00:00Z"));
    await appendEvents(
      scope,
      Array.from({ length: 49 }, (_, n) => createEvent(200 + n)),
    );
    expect(await listAnchors()).toMatchObject([anchor, { from: "2026-03-04", to: "2026-03-04", seq: 65 }]);
    const change = { id: "1", type: "audit-anchor-created", timestamp: 0, after: { pk: "anchored#audit", ...anchor } };
    expect(toEvents(change as never).map(({ type, payload }) => [type, JSON.parse(payload).data])).toEqual([
      ["audit.anchored", anchor],
    ]);
  } finally {
    vi.useRealTimers();
  }
});

it("listEvents with a time range reads only events near the range, however long the chain is", async () => {
  const scope = { tenantId: "long" };
  const days = Array.from({ length: 100 }, (_, day) => day);
  const start = Date.parse("2026-01-01T00:00:00.000Z");
  const at = (day: number) => new Date(start + day * 86_400_000).toISOString();
  for (const day of days) {
    // Events arrive out of order by up to 15,000 seconds.
    const events = Array.from({ length: 20 }, (_, n) => ({
      ...createEvent(day * 20 + n),
      occurred_at: new Date(start + day * 86_400_000 - (n % 4) * 5_000_000).toISOString(),
    }));
    await appendEvents(scope, events);
  }
  const all = (await readChain(scope.tenantId)).reverse();
  for (const [since, until] of [
    [at(50), at(52)],
    [at(99), undefined],
    [undefined, at(1)],
    [at(98.5), at(200)],
    [at(-5), at(-1)],
    ["0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"],
  ]) {
    let listed: AuditEvent[] = [];
    const units = await table.measure(async () => {
      listed = [...(await listEvents(scope, { since, until }, { limit: 100 })).entries];
    });
    const expected = all.filter(
      ({ occurred_at }) => (!since || occurred_at >= since) && (!until || occurred_at <= until),
    );
    expect(listed).toEqual(expected.slice(0, 100));
    expect(units.read).toBeLessThan(60);
  }
  const paged: AuditEvent[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await listEvents(scope, { since: at(20), until: at(30) }, { limit: 37, ...(cursor && { cursor }) });
    paged.push(...page.entries);
    if (page.next === null) break;
    cursor = page.next;
  }
  expect(paged).toEqual(all.filter(({ occurred_at }) => occurred_at >= at(20) && occurred_at <= at(30)));
});

const scope = { tenantId: "tampered" };
const listItems = async () => {
  const all = await tenantTable(scope).query({ pk: "tampered#audit", prefix: "event#" });
  return all.sort((one, other) => (one.sk < other.sk ? -1 : 1));
};
const fields = ["id", "occurred_at", "actor", "action", "target", "details", "previous_hash", "hash"] as const;

beforeAll(() =>
  appendEvents(
    scope,
    Array.from({ length: 120 }, (_, n) => createEvent(n)),
  ),
);

/** Returns the text with one letter or digit changed. */
function changeOneByte(text: string): string {
  const positions = [...text.matchAll(/(?<=:"[^"]*|^[^{]*)[a-z0-9]/gi)].map(({ index }) => index);
  const at = positions[pick(positions.length)] ?? 0;
  const other = text[at] === "7" ? "8" : "7";
  return text.slice(0, at) + other + text.slice(at + 1);
}

it(`verifyChain reports the tampered event in each of ${tamperings} trials with one changed byte`, async () => {
  const all = await listItems();
  for (let trial = 0; trial < tamperings; trial++) {
    const item = all[pick(all.length)];
    const field = fields[trial % fields.length] ?? "id";
    if (!item) throw new Error("Expected an event");
    const before = item[field];
    const after =
      typeof before === "string" ? changeOneByte(before) : JSON.parse(changeOneByte(JSON.stringify(before)));
    await tenantTable(scope).write({ put: { ...item, [field]: after } });
    const { broken } = await verifyChain(scope);
    expect([field, broken]).toEqual([
      field,
      { seq: item.seq, id: field === "id" ? after : item.id, reason: "changed" },
    ]);
    await tenantTable(scope).write({ put: item });
  }
  expect((await verifyChain(scope)).broken).toBe(null);
});

it("verifyChain reports events that are missing, replaced or forged", async () => {
  const all = await listItems();
  for (const index of [0, 57, 119]) {
    const item = all[index];
    if (!item) throw new Error("Expected an event");
    await tenantTable(scope).deleteMany([item]);
    expect((await verifyChain(scope)).broken).toEqual({ seq: index + 1, id: null, reason: "missing" });
    await tenantTable(scope).write({ put: item });
  }
  const [one, other] = [all[10], all[11]];
  if (!one || !other) throw new Error("Expected two events");
  await tenantTable(scope).write({ put: { ...other, sk: one.sk } });
  expect((await verifyChain(scope)).broken).toMatchObject({ reason: "missing", seq: 11 });
  await tenantTable(scope).write({ put: one });
  const forged = { ...one, details: { changed: [] } };
  await tenantTable(scope).write({ put: forged });
  expect((await verifyChain(scope)).broken).toMatchObject({ id: one.id, reason: "changed" });
  await tenantTable(scope).write({ put: one });
  expect((await verifyChain(scope)).broken).toBe(null);
  expect((await getChainHead(scope)).seq).toBe(120);
  const [head] = await tenantTable(scope).query({ pk: "tampered#audit", prefix: "head" });
  if (!head) throw new Error("Expected a chain head");
  for (const broken of [undefined, { ...head, seq: 60, hash: all[59]?.hash }, { ...head, hash: "0".repeat(64) }]) {
    await tenantTable(scope).deleteMany([head]);
    if (broken) await tenantTable(scope).write({ put: broken });
    expect((await verifyChain(scope)).broken).not.toBe(null);
  }
  await tenantTable(scope).write({ put: head });
  expect((await verifyChain(scope)).broken).toBe(null);
});

it("listPage() returns every match once across pages when few events match the filter", async () => {
  const scope = { tenantId: "few" };
  await appendEvents(
    scope,
    Array.from({ length: 900 }, (_, n) => createEvent(n)),
  );
  const matches = [850, 849, 300, 3];
  const where = ({ seq }: Record<string, unknown>) => matches.includes(Number(seq));
  const list = {
    list: "few",
    pk: keys.auditEvent(scope.tenantId, 0).pk,
    prefix: "event#",
    where,
    maxScannedItems: 400,
  };
  const pages: number[][] = [];
  let cursor: string | undefined;
  do {
    const { entries, next } = await listPage(
      scope,
      { ...list, descending: true },
      { limit: 2, ...(cursor && { cursor }) },
    );
    pages.push(entries.map(({ seq }) => Number(seq)));
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  expect(pages.flat()).toEqual(matches);
  expect(pages).toEqual([[850, 849], [300], [3]]);
});
