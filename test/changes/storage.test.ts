import { afterAll, beforeAll, expect, it } from "vitest";
import type { Change } from "#shared/changes/processor.ts";
import { newAttachment, newAttachmentWrites } from "#shared/conversations/attachments/attachment-store.ts";
import { keys } from "#shared/dynamodb/keys.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { releaseStorage, storageChangeTypes } from "#shared/governance/usage/release-storage.ts";
import { newCollection, newCollectionWrites } from "#shared/knowledge/collection-store.ts";
import {
  deleteDocument,
  findDocuments,
  newDocumentWrites,
  newTextDocument,
  type StoredDocument,
} from "#shared/knowledge/document-store.ts";
import { newVersionWrites, withNewVersion } from "#shared/knowledge/document-versions.ts";
import { purgeDocuments } from "#shared/knowledge/indexing/index-documents.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { getStorageState } from "#shared/tenancy/storage-store.ts";
import { createTenant, type Tenant } from "#shared/tenancy/tenant-store.ts";
import { seededRandom } from "#test/support/knowledge/synthetic-text.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const random = seededRandom(34);
const pick = (below: number) => Math.floor(random() * below);

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table.stop());

/** Creates a tenant with limits and a collection. */
async function createScenario(tenantId: string, limits: Tenant["limits"]) {
  const scope = { tenantId };
  const { tenant } = await createTenant(scope, { name: null, plan: null, billing_id: null, limits, budgets: [] });
  const collection = newCollection("u", { name: "c", description: "", readers: ["tenant"] });
  await tenantTable(scope).transact(newCollectionWrites(scope, collection));
  const add = async (bytes: number) => {
    const text = "x".repeat(bytes);
    const fields = { title: "t", media_type: "text/plain", uri: null, metadata: {}, source: null } as const;
    const document = newTextDocument(collection.id, "u", text, fields);
    const source = { format: "text/plain", text } as const;
    await tenantTable(scope).transact(await newDocumentWrites(scope, [{ document, source }]));
    return document;
  };
  return { scope, tenant, collection, add };
}

const itemsOf = async (tenantId: string) =>
  (await table.scan()).filter(
    ({ pk, discriminator }) =>
      String(pk).startsWith(`${tenantId}#`) && ["document", "attachment"].includes(String(discriminator)),
  );

/** Performs work and returns the changes that the processor receives of it. */
async function changesOf(tenantId: string, work: () => Promise<unknown>): Promise<Change[]> {
  const toKey = ({ pk, sk }: Record<string, unknown>) => `${pk} ${sk}`;
  const before = new Map((await itemsOf(tenantId)).map((item) => [toKey(item), item]));
  await work();
  const after = new Map((await itemsOf(tenantId)).map((item) => [toKey(item), item]));
  return [...before].flatMap(([key, old]) => {
    const item = after.get(key);
    if (JSON.stringify(old) === JSON.stringify(item)) return [];
    const event = item === undefined || item.deleted ? "deleted" : "updated";
    const type = `${old.discriminator}-${event}`;
    return storageChangeTypes.includes(type)
      ? [{ id: `${key} ${random()}`, type, timestamp: 0, before: old, after: item }]
      : [];
  });
}

it("storage of a tenant admits exactly as many documents as its limit allows when more arrive at the same time", async () => {
  const { add, tenant } = await createScenario("storage-limit", { documents: 7, storage_bytes: 1_000 });
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => add(10)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(7);
  const [refused] = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  expect(refused).toBeInstanceOf(ServiceError);
  expect(refused).toMatchObject({
    code: "storage_full",
    details: { storage: { unit: "documents", used: 7, added: 1, limit: 7 } },
  });
  expect(await getStorageState(tenant)).toEqual({
    documents: { used: 7, limit: 7 },
    bytes: { used: 70, limit: 1_000 },
  });
});

it("storage of a tenant counts the bytes of attached files, and only the size difference of new versions", async () => {
  const { add, tenant, scope } = await createScenario("storage-bytes", { storage_bytes: 100 });
  const attach = async (size: number) => {
    const file = { file_name: "a.txt", kind: "file", media_type: "text/plain", size } as const;
    await tenantTable(scope).transact(await newAttachmentWrites(scope, newAttachment("u", "c", file)));
  };
  const document = await add(60);
  await expect(attach(41)).rejects.toMatchObject({ details: { storage: { unit: "bytes", used: 60, added: 41 } } });
  await expect(attach(101)).rejects.toMatchObject({ code: "storage_full" });
  await attach(40);
  const replace = async (size: number) => {
    const stored = (await findDocuments(scope, [document]))[0] as StoredDocument;
    const changed = withNewVersion(stored, { ...stored, size });
    await tenantTable(scope).transact(
      await newVersionWrites(scope, stored, changed, { format: "text/plain", text: "x".repeat(size) }),
    );
  };
  await expect(replace(61)).rejects.toMatchObject({ code: "storage_full" });
  await replace(60);
  await replace(20);
  expect((await getStorageState(tenant)).bytes.used).toBe(60);
});

it("storage of a tenant without documents refuses the first document if the limit is zero documents", async () => {
  const { add, tenant } = await createScenario("storage-empty", { documents: 0, storage_bytes: 5 });
  await expect(add(1)).rejects.toMatchObject({
    code: "storage_full",
    details: { storage: { unit: "documents", used: 0, added: 1, limit: 0 } },
  });
  expect((await getStorageState(tenant)).bytes.used).toBe(0);
});

it("storage of a tenant without documents refuses a first document of more bytes than the limit, and admits one of as many", async () => {
  const { add, tenant } = await createScenario("storage-first", { documents: 2, storage_bytes: 5 });
  await expect(add(6)).rejects.toMatchObject({
    code: "storage_full",
    details: { storage: { unit: "bytes", used: 0, added: 6, limit: 5 } },
  });
  await add(5);
  await expect(add(1)).rejects.toMatchObject({ details: { storage: { unit: "bytes", used: 5, added: 1, limit: 5 } } });
  expect(await getStorageState(tenant)).toEqual({ documents: { used: 1, limit: 2 }, bytes: { used: 5, limit: 5 } });
});

it("storage of a tenant admits exactly as many bytes as its limit allows when more documents arrive at the same time", async () => {
  const { add, tenant } = await createScenario("storage-size", { documents: 100, storage_bytes: 75 });
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => add(10)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(7);
  for (const { reason } of results.filter((result) => result.status === "rejected")) {
    expect(reason).toMatchObject({
      code: "storage_full",
      details: { storage: { unit: "bytes", used: 70, added: 10 } },
    });
  }
  expect((await getStorageState(tenant)).bytes.used).toBe(70);
});

it("storage of a tenant is counted as the sum of what exists, also after repeated, reordered and failed deliveries of changes", async () => {
  const { add, tenant, scope } = await createScenario("storage-feed", {});
  const [documents, changes]: [Awaited<ReturnType<typeof add>>[], Change[]] = [[], []];
  for (let n = 0; n < 24; n++) documents.push(await add(1 + pick(50)));
  const file = { file_name: "a.png", kind: "image", media_type: "image/png", size: 90 } as const;
  const attachment = newAttachment("u", "c", file);
  await tenantTable(scope).transact(await newAttachmentWrites(scope, attachment));
  const attachmentKey = keys.attachment(scope.tenantId, "c", attachment.id);
  const record = async (work: () => Promise<unknown>) => changes.push(...(await changesOf(scope.tenantId, work)));
  // The metadata of an image is removed, which makes it smaller.
  await record(() => tenantTable(scope).write({ update: attachmentKey, set: { size: 70 } }));
  for (const document of documents.slice(0, 8)) {
    await record(() => deleteDocument(scope, document));
    await record(() => purgeDocuments(scope, [document]));
  }
  // Documents of a deleted collection are deleted without a tombstone.
  await record(() => purgeDocuments(scope, documents.slice(8, 12)));
  await record(() => tenantTable(scope).deleteMany([attachmentKey]));

  const deliveries = [...changes, ...changes].map((change) => ({ change, order: random() }));
  deliveries.sort((one, other) => one.order - other.order);
  for (let from = 0; from < deliveries.length; from += 14) {
    const deliver = () =>
      Promise.allSettled(deliveries.slice(from, from + 14).map(({ change }) => releaseStorage(change)));
    if (from === 0) await table.failAfter(1, deliver);
    const results = await deliver();
    expect(results.filter(({ status }) => status === "rejected")).toEqual([]);
  }
  const stored = await itemsOf(scope.tenantId);
  const bytes = stored.reduce((sum, { size }) => sum + Number(size), 0);
  const { documents: counted, bytes: used } = await getStorageState(tenant);
  expect([counted.used, used.used]).toEqual([12, bytes]);
});
