import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { isCopy } from "#shared/changes/copied-items.ts";
import { isFullRun, sized } from "#test/support/run-size.ts";
import { createTable, type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";
import { startRecoveryStub } from "#test/support/tables/recovery-stub.ts";
import { cloneTenant } from "../../../infra/commands/tenant/clone-tenant.ts";
import {
  exportTenant,
  importTenant,
  moveTenant,
  requireSuspended,
  restoreTenant,
} from "../../../infra/commands/tenant/copy-tenant.ts";
import { deleteCopy, restorePoint } from "../../../infra/commands/tenant/restore-point.ts";
import { digestTenant, openCell, putCopies, type RawItem } from "../../../infra/commands/tenant/tenant-items.ts";

const at = "2026-11-25T12:00:00.000Z";
const item = (pk: string, sk: string, discriminator: string, fields: Record<string, unknown> = {}) =>
  ({ pk: { S: pk }, sk: { S: sk }, discriminator: { S: discriminator }, ...fields }) as unknown as RawItem;

/** Returns the JSON of an item, with its attributes in the order of their names: DynamoDB promises none. */
const toText = (value: RawItem): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** Items of a tenant, with values of each kind, and a look-up. */
const itemsOf = (tenant: string): RawItem[] => [
  item(`${tenant}#tenant`, "tenant", "tenant", {
    tenant_id: { S: tenant },
    suspended_at: { S: at },
    name: { S: "Acme" },
  }),
  item(`${tenant}#user#ada@example.com`, "user", "user", {
    user_id: { S: "ada@example.com" },
    external_id: { S: "Ada at the provider" },
    name: { S: "Ada Lovelace" },
    gsi1pk: { S: `${tenant}#users` },
    gsi1sk: { S: "ada@example.com" },
  }),
  item(`${tenant}#conversation#c1`, "message#m1", "message", {
    content: { L: [{ M: { type: { S: "text" }, text: { S: "The secret harbor 42" } } }] },
    author_id: { S: "ada@example.com" },
    usage: { M: { input_tokens: { N: "12345678901234567890" } } },
  }),
  item(`${tenant}#conversation#c1`, "conversation", "conversation", {
    title: { S: "Harbor" },
    owner_id: { S: "ada@example.com" },
    tags: { SS: ["b", "a"] },
    gsi1pk: { S: `${tenant}#user#ada@example.com#conversations` },
    gsi1sk: { S: at },
  }),
  item(`${tenant}#passages#tenant#0`, "000", "passage", { data: { B: Buffer.from([0, 255, 1]).toString("base64") } }),
  item(`~credential#hash-of-${tenant}`, "credential", "credential", { tenant_id: { S: tenant } }),
];

let server: MeteredTable;
let directory: string;
let count = 0;
let [table, other] = [{ name: "" }, { name: "" }];

const put = async (name: string, items: readonly RawItem[]) => {
  for (const Item of items) await openCell(table)("PutItem", { TableName: name, Item });
};
const readItems = async (name: string) => {
  const found: RawItem[] = [];
  for (let ExclusiveStartKey: unknown; ; ) {
    const page = await openCell(table)("Scan", {
      TableName: name,
      ...(ExclusiveStartKey !== undefined && { ExclusiveStartKey }),
    });
    found.push(...(page.Items as RawItem[]));
    ExclusiveStartKey = page.LastEvaluatedKey;
    if (ExclusiveStartKey === undefined) return found;
  }
};
const scan = async (name: string) => (await readItems(name)).map(toText).toSorted();
const scanOf = async (name: string, tenant: string) => (await scan(name)).filter((text) => text.includes(tenant));

beforeAll(async () => {
  server = await startMeteredTable();
  directory = mkdtempSync(join(tmpdir(), "tenant-"));
});

afterAll(async () => {
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
});

beforeEach(async () => {
  count++;
  [table, other] = [{ name: `cell-${count}-a` }, { name: `cell-${count}-b` }];
  await createTable(server.endpoint, table.name);
  await createTable(server.endpoint, other.name);
  // The name of the second tenant begins like that of the first one.
  await put(table.name, [...itemsOf("acme"), ...itemsOf("acme2")]);
});

it("npm run tenant exports and imports all items of one tenant only, with the same hash", async () => {
  const path = join(directory, `${count}.ndjson`);
  const digest = await exportTenant(table, "acme", path);
  expect(digest).toEqual({ count: 6, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(readFileSync(path, "utf8")).not.toContain("acme2");
  expect(await importTenant(other, path, at)).toEqual(digest);
  expect(await digestTenant(table, "acme")).toEqual(digest);
  expect(await scanOf(other.name, "acme2")).toEqual([]);
  await expect(importTenant(other, path, at)).rejects.toThrow("already has 6 items");
});

it("npm run tenant refuses an import file that is truncated or changed", async () => {
  const path = join(directory, `${count}.ndjson`);
  await exportTenant(table, "acme", path);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  writeFileSync(path, lines.slice(0, -1).join("\n"));
  await expect(importTenant(other, path, at)).rejects.toThrow("not complete");
  const third = { name: `cell-${count}-c` };
  await createTable(server.endpoint, third.name);
  writeFileSync(path, lines.join("\n").replace("secret harbor", "public harbor"));
  await expect(importTenant(third, path, at)).rejects.toThrow("The copy has 6 items with the hash");
});

it("npm run tenant moves a tenant and leaves the items of another tenant unchanged", async () => {
  const [before, foreign] = [await digestTenant(table, "acme"), await scanOf(table.name, "acme2")];
  expect(await moveTenant(table, other, "acme", { at, removes: true })).toEqual(before);
  expect(await digestTenant(other, "acme")).toEqual(before);
  expect(await digestTenant(table, "acme")).toMatchObject({ count: 0 });
  expect(await scan(table.name)).toEqual(foreign);
});

it("npm run tenant restores a tenant to the state of a copy between two writes, and touches no other tenant", async () => {
  await put(other.name, [...itemsOf("acme"), ...itemsOf("acme2")]);
  const expected = await digestTenant(other, "acme");
  const [, , message] = itemsOf("acme") as [RawItem, RawItem, RawItem];
  await put(table.name, [
    { ...message, content: { S: "Changed" } },
    item("acme#conversation#c1", "message#m2", "message", { content: { S: "Later" } }),
    item("acme2#conversation#c1", "message#m2", "message", { content: { S: "Later elsewhere" } }),
  ]);
  await openCell(table)("DeleteItem", {
    TableName: table.name,
    Key: { pk: { S: "acme#conversation#c1" }, sk: { S: "conversation" } },
  });
  const foreign = await scanOf(table.name, "acme2");
  const untouched = (await scanOf(table.name, '"acme#')).filter((text) => text.includes('"user"'));
  expect(await restoreTenant(table, other, "acme", at)).toEqual({ ...expected, restored: 2, removed: 1 });
  expect(await scanOf(table.name, "acme2")).toEqual(foreign);
  expect((await scanOf(table.name, '"acme#')).filter((text) => text.includes('"user"'))).toEqual(untouched);
  await expect(restoreTenant(table, other, "unknown", at)).rejects.toThrow("no items");
});

it("npm run tenant restores a tenant to a time between two writes, from a copy that AWS makes", async () => {
  const recovery = await startRecoveryStub(server.endpoint);
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", recovery.endpoint);
  try {
    const [, , message] = itemsOf("acme") as [RawItem, RawItem, RawItem];
    await put(table.name, [{ ...message, content: { S: "First" } }]);
    recovery.keepState(table.name, "2026-11-25T09:00:00.000Z", await readItems(table.name));
    const [expected, untouched] = [await digestTenant(table, "acme"), await scanOf(table.name, "acme2")];
    await put(table.name, [{ ...message, content: { S: "Second" } }]);
    recovery.keepState(table.name, "2026-11-25T10:00:00.000Z", await readItems(table.name));

    const copy = await restorePoint(table, "2026-11-25T09:30:00.000Z", 1);
    expect(copy.name).toBe(`${table.name}-at-20261125T093000Z`);
    expect(await restoreTenant(table, copy, "acme", at)).toEqual({ ...expected, restored: 1, removed: 0 });
    expect(await digestTenant(table, "acme")).toEqual(expected);
    expect(await scanOf(table.name, "acme2")).toEqual(untouched);
    expect(recovery.requests).toEqual([
      {
        SourceTableName: table.name,
        TargetTableName: copy.name,
        RestoreDateTime: Date.parse("2026-11-25T09:30:00.000Z") / 1_000,
        BillingModeOverride: "PAY_PER_REQUEST",
        GlobalSecondaryIndexOverride: [],
      },
    ]);
    // A repeated call continues with the copy, and a table of another origin is not taken for it.
    expect(await restorePoint(table, "2026-11-25T09:30:00.000Z", 1)).toEqual(copy);
    expect(recovery.requests).toHaveLength(1);
    await deleteCopy(copy);
    await createTable(server.endpoint, copy.name);
    await expect(restorePoint(table, "2026-11-25T09:30:00.000Z", 1)).rejects.toThrow("is no copy of");
    await expect(restorePoint(table, "2026-11-25T08:00:00.000Z", 1)).rejects.toThrow("RestoreDateTime");
  } finally {
    vi.unstubAllEnvs();
    recovery.stop();
  }
});

it("npm run tenant restores the tenant's own item, which ends the suspension, after all other items", async () => {
  const [tenantItem, , message] = itemsOf("acme") as [RawItem, RawItem, RawItem];
  const { suspended_at: _, ...active } = tenantItem as Record<string, RawItem[string]>;
  await put(other.name, [...itemsOf("acme"), active as RawItem]);
  await put(table.name, [{ ...message, content: { S: "Changed" } }]);
  const expected = await digestTenant(other, "acme");
  const written: string[] = [];
  const recovery = await startRecoveryStub(server.endpoint, ({ RequestItems }) => {
    for (const { PutRequest } of Object.values(RequestItems ?? {}).flat())
      written.push(String(PutRequest?.Item.discriminator?.S));
  });
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", recovery.endpoint);
  try {
    expect(await restoreTenant(table, other, "acme", at)).toMatchObject({ ...expected, restored: 2 });
    expect(written).toEqual(["message", "tenant"]);
    expect(await digestTenant(table, "acme")).toEqual(expected);
  } finally {
    vi.unstubAllEnvs();
    recovery.stop();
  }
});

it("npm run tenant refuses a tenant that is not suspended or does not exist", async () => {
  await requireSuspended(table, "acme");
  await put(table.name, [item("acme#tenant", "tenant", "tenant", { tenant_id: { S: "acme" } })]);
  await expect(requireSuspended(table, "acme")).rejects.toThrow("Suspend the tenant");
  await expect(requireSuspended(table, "unknown")).rejects.toThrow("no tenant unknown");
});

it("npm run tenant clones a tenant without secrets, and redacts texts and people", async () => {
  const clone = { tenant: "acme", clone: "test-acme", isRedacted: true, at };
  const readers = { L: [{ S: "group:g1" }, { S: "user:ada@example.com" }] };
  await put(table.name, [item("acme#collection#k1", "collection", "collection", { readers })]);
  expect(await cloneTenant(table, table, clone)).toBe(5);
  const text = (await scanOf(table.name, "test-acme")).join("\n");
  for (const original of ["secret", "Ada", "ada@example.com", "42", "Acme", "credential", "passage"]) {
    expect([original, text.includes(original)]).toEqual([original, false]);
  }
  expect(text).toContain('"xxx xxxxxx xxxxxx 00"');
  expect(text).toMatch(/"group:g1".*"user:user-[\w-]{12}"/);
  expect(text).toMatch(/test-acme#user#user-[\w-]{12}#conversations/);
  await expect(cloneTenant(table, table, clone)).rejects.toThrow("exists already");
  await cloneTenant(table, table, { ...clone, clone: "plain-acme", isRedacted: false });
  expect((await scanOf(table.name, "plain-acme")).join()).toContain("The secret harbor 42");
});

const largeCount = sized({ usual: 0, full: 20_000, soak: 100_000 });

it.runIf(isFullRun)(`npm run tenant moves and restores ${largeCount} items`, async () => {
  const text = { S: "A message of ordinary length, which takes some hundred bytes in the table. ".repeat(4) };
  const many = Array.from({ length: largeCount }, (_, index) =>
    item(`big#conversation#${index >> 4}`, `message#${index}`, "message", { text }),
  );
  const path = join(directory, "big.ndjson");
  const timed = async (name: string, work: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await work();
    console.log(`${name}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  };
  await putCopies(table, many, at);
  const foreign = await scanOf(table.name, "acme2");
  await timed("export", () => exportTenant(table, "big", path));
  await timed("import", () => importTenant(other, path, at));
  await timed("restore", () => restoreTenant(table, other, "big", at));
  expect(await digestTenant(other, "big")).toEqual(await digestTenant(table, "big"));
  const third = { name: `cell-${count}-c` };
  await createTable(server.endpoint, third.name);
  await timed("move", () => moveTenant(table, third, "big", { at, removes: true }));
  expect(await digestTenant(third, "big")).toEqual(await digestTenant(other, "big"));
  expect(await digestTenant(table, "big")).toMatchObject({ count: 0 });
  expect(await scanOf(table.name, "acme2")).toEqual(foreign);
});

it("isCopy() distinguishes copies and their removal from changes of items that were copied before", () => {
  const copied = { text: "a", copied_at: at };
  expect(isCopy(undefined, copied)).toBe(true);
  expect(isCopy({ text: "b" }, copied)).toBe(true);
  expect(isCopy(copied, { ...copied, text: "c" })).toBe(false);
  expect(isCopy(copied, undefined)).toBe(false);
  expect(isCopy({ ...copied, copied_at: `removed ${at}` }, undefined)).toBe(true);
  expect(isCopy(undefined, { text: "a" })).toBe(false);
});
