import { expect, it } from "vitest";
import { indexKeys, keys } from "#shared/dynamodb/keys.ts";
import {
  absent,
  allOf,
  anyOf,
  differs,
  equals,
  exists,
  type Item,
  type Query,
  type Table,
  type Write,
} from "#shared/dynamodb/table.ts";
import { confineToTenant, ForeignKeyError } from "#shared/dynamodb/tenant-scope.ts";

/** Table that accepts every call that passes the guard. */
const permissiveTable: Table = {
  get: async () => undefined,
  getMany: async () => [],
  query: async () => [],
  write: async () => undefined,
  transact: async () => {},
  deleteMany: async () => {},
};

const scopedTable = confineToTenant(permissiveTable, { tenantId: "mine" });

const operations: Record<string, (key: { pk: string; sk: string }) => Promise<unknown>> = {
  get: (key) => scopedTable.get(key),
  getMany: (key) => scopedTable.getMany([keys.tenant("mine"), key]),
  query: ({ pk }) => scopedTable.query({ pk } satisfies Query),
  put: (key) => scopedTable.write({ put: key as Item }),
  update: (key) => scopedTable.write({ update: key, set: { a: 1 } }),
  delete: (key) => scopedTable.write({ delete: key }),
  transact: (key) => scopedTable.transact([{ put: keys.tenant("mine") as Item }, { update: key, set: { a: 1 } }]),
  check: (key) => scopedTable.transact([{ check: key, condition: exists() }]),
  deleteMany: (key) => scopedTable.deleteMany([keys.tenant("mine"), key]),
};

/** Returns arguments for a key function: the tenant first, then placeholder texts. */
const keyArguments = (makeKey: (...args: never[]) => unknown, tenant: string) =>
  [tenant, ...Array.from({ length: Math.max(0, makeKey.length - 1) }, (_, index) => `a${index}`)] as never[];

const isLookup = (makeKey: unknown) =>
  (makeKey as (...args: never[]) => { pk: string })(...keyArguments(makeKey as never, "x")).pk.startsWith("~");

const lookups = Object.entries(keys).filter(([, makeKey]) => isLookup(makeKey));
const owned = Object.entries(keys).filter(([, makeKey]) => !isLookup(makeKey));

it.each(owned)(
  'table client that is limited to one tenant accepts the key "%s" of its tenant and rejects it for another tenant or without a tenant',
  async (_, makeKey) => {
    const keyFor = makeKey as (...args: never[]) => { pk: string; sk: string };
    for (const operation of Object.values(operations)) {
      await expect(operation(keyFor(...keyArguments(makeKey, "mine")))).resolves.not.toThrow();
      const { pk, sk } = keyFor(...keyArguments(makeKey, "theirs"));
      await expect(operation({ pk, sk })).rejects.toThrow(ForeignKeyError);
      // Simulates a key function that omits the tenant.
      await expect(operation({ pk: pk.replace(/^theirs#?/, ""), sk })).rejects.toThrow(ForeignKeyError);
      await expect(operation({ pk: pk.replace(/^theirs/, ""), sk })).rejects.toThrow(ForeignKeyError);
      await expect(operation({ pk: pk.replace(/^theirs/, "min"), sk })).rejects.toThrow(ForeignKeyError);
    }
  },
);

it.each(Object.entries(indexKeys))(
  'table client that is limited to one tenant accepts the index key "%s" of its tenant and rejects it for another tenant',
  async (_, makeKey) => {
    const keyFor = makeKey as (...args: never[]) => { gsi1pk: string; gsi1sk: string };
    const write = (key: object): Write => ({ put: { ...keys.tenant("mine"), ...key } });
    const ownKey = keyFor(...keyArguments(makeKey, "mine"));
    const foreignKey = keyFor(...keyArguments(makeKey, "theirs"));
    await expect(scopedTable.write(write(ownKey))).resolves.toBeUndefined();
    await expect(scopedTable.write(write(foreignKey))).rejects.toThrow(ForeignKeyError);
    await expect(scopedTable.write({ update: keys.tenant("mine"), set: foreignKey })).rejects.toThrow(ForeignKeyError);
    await expect(scopedTable.query({ index: "gsi1", pk: foreignKey.gsi1pk })).rejects.toThrow(ForeignKeyError);
    await expect(scopedTable.query({ index: "gsi1", pk: foreignKey.gsi1pk.replace(/^theirs#?/, "") })).rejects.toThrow(
      ForeignKeyError,
    );
  },
);

it.each(lookups)(
  "table client that is limited to one tenant allows writing an item with the lookup key %s only if the item contains the tenant's id, and rejects reading the item",
  async (_, makeKey) => {
    const key = (makeKey as (...args: never[]) => { pk: string; sk: string })(...keyArguments(makeKey, "x"));
    await expect(scopedTable.get(key)).rejects.toThrow(ForeignKeyError);
    await expect(scopedTable.write({ put: { ...key, tenant_id: "theirs" } })).rejects.toThrow(ForeignKeyError);
    await expect(scopedTable.write({ put: key as Item })).rejects.toThrow(ForeignKeyError);
    await expect(scopedTable.write({ put: { ...key, tenant_id: "mine" } })).resolves.toBeUndefined();
    await expect(scopedTable.write({ delete: key })).rejects.toThrow(ForeignKeyError);
    const deleteIfOwnedBy = (tenant_id: string): Write => ({ delete: key, condition: equals({ tenant_id }) });
    await expect(scopedTable.write(deleteIfOwnedBy("theirs"))).rejects.toThrow(ForeignKeyError);
    await expect(scopedTable.write(deleteIfOwnedBy("mine"))).resolves.toBeUndefined();
    const isOwn = equals({ tenant_id: "mine" });
    for (const condition of [allOf([exists(), isOwn]), anyOf([absent(), isOwn])]) {
      await expect(scopedTable.write({ delete: key, condition })).resolves.toBeUndefined();
    }
    // An item of another tenant can fulfill these.
    for (const condition of [anyOf([isOwn, exists()]), differs({ tenant_id: "mine" }), exists()]) {
      await expect(scopedTable.write({ delete: key, condition })).rejects.toThrow(ForeignKeyError);
    }
  },
);
