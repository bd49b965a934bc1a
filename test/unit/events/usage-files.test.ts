import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import type { Change } from "#shared/changes/processor.ts";
import { emitEvents } from "#shared/events/emit-events.ts";
import { writeUsageFiles } from "#shared/events/usage-files.ts";
import { updateTenant } from "#shared/tenancy/tenant-admin-store.ts";
import { requestTenantDeletion } from "#shared/tenancy/tenant-deletion-store.ts";
import { createTenant } from "#shared/tenancy/tenant-store.ts";
import { setFunctionEnvironment } from "#test/support/handler-events.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const bucket = vi.hoisted(() => ({
  files: new Map<string, string>(),
  /** Number of objects that are stored before the function dies. */
  remaining: Number.POSITIVE_INFINITY,
}));
vi.mock("#shared/lib/aws/s3.ts", () => ({
  putObject: async ({ bucket: name, key }: { bucket: string; key: string }, content: Uint8Array) => {
    if (bucket.remaining-- <= 0) throw new Error("killed");
    bucket.files.set(`${name}/${key}`, Buffer.from(content).toString());
  },
}));

const header =
  "event_id,type,tenant_id,billing_id,settled_at,reply_id,key_id,persona_id,model,requests,input_tokens,output_tokens," +
  "total_tokens,cached_tokens,cost_usd,created_at";
const properties = { name: null, plan: null, limits: {}, budgets: [] };
const day = "2026-01-10";
let table: MeteredTable;

beforeAll(async () => {
  setFunctionEnvironment({ METERING_FORMAT: "csv", METERING_BUCKET: "metering" });
  table = await startMeteredTable();
  for (const tenantId of ["acme", "harbor"]) {
    await createTenant({ tenantId }, { ...properties, billing_id: tenantId === "acme" ? "cus_1" : null });
  }
});
afterEach(() => {
  vi.useRealTimers();
  bucket.files.clear();
});
afterAll(() => table?.stop());

/** Returns the creation of an answer with one token, or of a correction. */
function change(tenantId: string, id: string, at: string, fields: object = {}): Change {
  const usage = { model: "large", input_tokens: 1, output_tokens: 0, total_tokens: 1, cost_usd: 0.001 };
  const reply = { key_id: "k", persona_id: null, created_at: at, usage };
  const after = { pk: `${tenantId}#completion#${id}`, sk: "s", discriminator: "completion", id, ...reply, ...fields };
  return { id: `change-${id}`, type: "completion-created", timestamp: Date.parse(at), before: undefined, after };
}

const correction = (tenantId: string, id: string, at: string, costUsd: number): Change => ({
  id: `change-${id}`,
  type: "usage-correction-created",
  timestamp: Date.parse(at),
  before: undefined,
  after: {
    ...{ pk: `${tenantId}#usage-corrections`, sk: id, discriminator: "usage-correction", id, day: "2026-01-02" },
    ...{ model: "large", user_id: null, key_id: null, persona_id: null, cost_usd: costUsd },
  },
});

const linesOf = (key: string) => bucket.files.get(`metering/usage/${key}`)?.trimEnd().split("\r\n") ?? [];

it("writeUsageFiles() has each answer once in the file of its day, although functions die and changes are repeated", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(`${day}T12:00:00Z`) });
  const changes = Array.from({ length: 120 }, (_, n) => {
    const second = String(n % 60).padStart(2, "0");
    return change(n % 2 ? "acme" : "harbor", `answer-${n}`, `2026-01-${n < 60 ? "10" : "09"}T10:00:${second}.000Z`);
  });
  const late = changes.splice(-10);
  const emitAll = (all: readonly Change[]) => Promise.all(all.map(emitEvents));
  for (let from = 0; from < changes.length; from += 20) {
    const batch = changes.slice(from, from + 20);
    // The processor dies after a part of its writes, and gets the batch again.
    await expect(table.failAfter(7, () => emitAll(batch))).rejects.toThrow();
    await emitAll(batch);
  }
  vi.setSystemTime(Date.parse("2026-01-11T01:00:00Z"));
  bucket.remaining = 2;
  await expect(writeUsageFiles()).rejects.toThrow("killed");
  bucket.remaining = Number.POSITIVE_INFINITY;
  await writeUsageFiles();
  const first = linesOf("2026-01-09/acme.csv").length;
  await emitAll([...late, ...changes.slice(0, 20)]);
  await writeUsageFiles();

  const keys = ["2026-01-09/acme.csv", "2026-01-09/harbor.csv", "2026-01-10/acme.csv", "2026-01-10/harbor.csv"];
  expect([...bucket.files.keys()].toSorted()).toEqual(keys.map((key) => `metering/usage/${key}`));
  const files = keys.map((key) => linesOf(key));
  expect(files.map(([line]) => line)).toEqual(keys.map(() => header));
  const rows = files.flatMap((lines) => lines.slice(1).map((line) => line.split(",")));
  expect(new Set(rows.map(([id]) => id)).size).toBe(120);
  expect(rows.map(([, , , , , reply]) => reply).toSorted()).toEqual(
    [...changes, ...late].map(({ after }) => after?.id).toSorted(),
  );
  expect(linesOf("2026-01-09/acme.csv").length).toBe(first + 5);
});

it("writeUsageFiles() writes the same file when a change is repeated, with the billing_id at the time of the answer", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-02-10T12:00:00Z") });
  await emitEvents(change("acme", "frozen", "2026-02-10T12:00:00.000Z"));
  vi.setSystemTime(Date.parse("2026-02-11T12:00:00Z"));
  await writeUsageFiles();
  const before = new Map(bucket.files);
  expect(linesOf("2026-02-10/acme.csv")[1]).toMatch(
    /^evt_[\w-]{32},usage,acme,cus_1,2026-02-10T12:00:00\.000Z,frozen,k,,large,1,1,0,1,0,0\.001,2026-02-10T12:00:00\.000Z$/,
  );
  await updateTenant({ tenantId: "acme" }, { billing_id: "cus_2" });
  // The cache of tenants has expired.
  vi.setSystemTime(Date.parse("2026-02-12T12:00:00Z"));
  await emitEvents(change("acme", "frozen", "2026-02-10T12:00:00.000Z"));
  await writeUsageFiles();
  expect(bucket.files).toEqual(before);
});

it("writeUsageFiles() writes a correction on the day when it was made, and escapes formulas but no numbers", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-03-11T12:00:00Z") });
  await emitEvents(correction("harbor", "c1", "2026-03-10T09:00:00.000Z", -1.5));
  const usage = { model: '=1+"a,b"', input_tokens: 1, output_tokens: 0, total_tokens: 1, cost_usd: null };
  await emitEvents(change("harbor", "formula", "2026-03-10T10:00:00.000Z", { usage }));
  await writeUsageFiles();
  const [, corrected, escaped] = linesOf("2026-03-10/harbor.csv");
  expect(corrected).toMatch(
    /,correction,harbor,,2026-03-10T09:00:00\.000Z,c1,,,large,0,0,0,0,0,-1\.5,2026-01-02T12:00:00\.000Z$/,
  );
  expect(escaped).toContain(',formula,k,,"\'=1+""a,b""",1,1,0,1,0,,');
});

it("writeUsageFiles() writes no file for the current day, for a day without usage or for a deleted tenant", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-04-10T12:00:00Z") });
  await createTenant({ tenantId: "deleted" }, { ...properties, billing_id: null });
  await emitEvents(change("acme", "today", "2026-04-10T11:00:00.000Z"));
  await emitEvents(change("deleted", "yesterday", "2026-04-09T11:00:00.000Z"));
  await writeUsageFiles();
  expect([...bucket.files.keys()]).toEqual(["metering/usage/2026-04-09/deleted.csv"]);
  bucket.files.clear();
  await requestTenantDeletion({ tenantId: "deleted" });
  await writeUsageFiles();
  expect([...bucket.files.keys()]).toEqual([]);
});
