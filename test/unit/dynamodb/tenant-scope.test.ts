import { describe, expect, it } from "vitest";
import { indexKeys, keys } from "#shared/dynamodb/keys.ts";
import type { Item, Query, Table, Write } from "#shared/dynamodb/table.ts";
import { confineToTenant, ForeignKeyError } from "#shared/dynamodb/tenant-scope.ts";

/** A table that takes everything: what the guard lets through gets here. */
const open: Table = {
  get: async () => undefined,
  getMany: async () => [],
  query: async () => [],
  write: async () => undefined,
  transact: async () => {},
  deleteMany: async () => {},
};

const mine = confineToTenant(open, { tenantId: "mine" });

const operations: Record<string, (key: { pk: string; sk: string }) => Promise<unknown>> = {
  get: (key) => mine.get(key),
  getMany: (key) => mine.getMany([keys.tenant("mine"), key]),
  query: ({ pk }) => mine.query({ pk } satisfies Query),
  put: (key) => mine.write({ put: key as Item }),
  update: (key) => mine.write({ update: key, set: { a: 1 } }),
  delete: (key) => mine.write({ delete: key }),
  transact: (key) => mine.transact([{ put: keys.tenant("mine") as Item }, { update: key, set: { a: 1 } }]),
  check: (key) => mine.transact([{ check: key, condition: { where: "attribute_exists(#pk)" } }]),
  deleteMany: (key) => mine.deleteMany([keys.tenant("mine"), key]),
};

/** Every key function, called with texts; the tenant is the first argument of those that have one. */
const argumentsOf = (make: (...given: never[]) => unknown, tenant: string) =>
  [tenant, ...Array.from({ length: Math.max(0, make.length - 1) }, (_, index) => `a${index}`)] as never[];

const isLookup = (make: unknown) =>
  (make as (...given: never[]) => { pk: string })(...argumentsOf(make as never, "x")).pk.startsWith("~");

const lookups = Object.entries(keys).filter(([, make]) => isLookup(make));
const owned = Object.entries(keys).filter(([, make]) => !isLookup(make));

describe("a table confined to a tenant", () => {
  it.each(owned)("%s: takes its own key, and throws as soon as the tenant is another's or missing", async (_, make) => {
    const keyFor = make as (...given: never[]) => { pk: string; sk: string };
    for (const operation of Object.values(operations)) {
      await expect(operation(keyFor(...argumentsOf(make, "mine")))).resolves.not.toThrow();
      const { pk, sk } = keyFor(...argumentsOf(make, "theirs"));
      await expect(operation({ pk, sk })).rejects.toThrow(ForeignKeyError);
      // The mutation: a key function that forgot its tenant.
      await expect(operation({ pk: pk.replace(/^theirs#?/, ""), sk })).rejects.toThrow(ForeignKeyError);
      await expect(operation({ pk: pk.replace(/^theirs/, ""), sk })).rejects.toThrow(ForeignKeyError);
      await expect(operation({ pk: pk.replace(/^theirs/, "min"), sk })).rejects.toThrow(ForeignKeyError);
    }
  });

  it.each(Object.entries(indexKeys))("index %s: takes its own key and no other", async (_, make) => {
    const keyFor = make as (...given: never[]) => { gsi1pk: string };
    const write = (gsi1pk: string): Write => ({ put: { ...keys.tenant("mine"), gsi1pk } });
    const own = keyFor(...argumentsOf(make, "mine")).gsi1pk;
    const foreign = keyFor(...argumentsOf(make, "theirs")).gsi1pk;
    await expect(mine.write(write(own))).resolves.toBeUndefined();
    await expect(mine.write(write(foreign))).rejects.toThrow(ForeignKeyError);
    await expect(mine.write({ update: keys.tenant("mine"), set: { gsi1pk: foreign } })).rejects.toThrow(
      ForeignKeyError,
    );
    await expect(mine.query({ index: "gsi1", pk: foreign })).rejects.toThrow(ForeignKeyError);
    await expect(mine.query({ index: "gsi1", pk: foreign.replace(/^theirs#?/, "") })).rejects.toThrow(ForeignKeyError);
  });

  it.each(lookups)("%s: is written with its tenant's name only, and never read", async (_, make) => {
    const key = (make as (...given: never[]) => { pk: string; sk: string })(...argumentsOf(make, "x"));
    await expect(mine.get(key)).rejects.toThrow(ForeignKeyError);
    await expect(mine.write({ put: { ...key, tenant_id: "theirs" } })).rejects.toThrow(ForeignKeyError);
    await expect(mine.write({ put: key as Item })).rejects.toThrow(ForeignKeyError);
    await expect(mine.write({ put: { ...key, tenant_id: "mine" } })).resolves.toBeUndefined();
    await expect(mine.write({ delete: key })).rejects.toThrow(ForeignKeyError);
    const where = "#tenant_id = :tenant_id";
    const bound = (tenant_id: string): Write => ({ delete: key, condition: { where, values: { tenant_id } } });
    await expect(mine.write(bound("theirs"))).rejects.toThrow(ForeignKeyError);
    await expect(mine.write(bound("mine"))).resolves.toBeUndefined();
  });
});
