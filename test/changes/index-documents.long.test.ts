import { afterAll, beforeAll, expect, it } from "vitest";
import type { Change } from "#shared/changes/processor.ts";
import { keys } from "#shared/dynamodb/keys.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import {
  deleteCollection,
  findCollections,
  newCollection,
  newCollectionWrites,
} from "#shared/knowledge/collection-store.ts";
import {
  type DocumentRef,
  deleteDocument,
  findDocuments,
  newDocumentWrites,
  newTextDocument,
  type StoredDocument,
} from "#shared/knowledge/document-store.ts";
import { toPostings } from "#shared/knowledge/index/lexical-index.ts";
import { decodePostings, type Posting } from "#shared/knowledge/index/postings.ts";
import { splitIntoPassages } from "#shared/knowledge/indexing/split-into-passages.ts";
import { searchKnowledge } from "#shared/knowledge/search/search-knowledge.ts";
import { seededRandom, syntheticWord, zipfSampler } from "#test/support/knowledge/synthetic-text.ts";
import { isFullRun, sized } from "#test/support/run-size.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";
import { indexRules } from "../../functions/changes/index-documents/rules.ts";

/** Number of document changes in the long test, and of passages in the deleted collection. */
const changeCount = sized({ usual: 300, full: 400, soak: 10_000 });
const passageCount = sized({ usual: 200, full: 300, soak: 5_000 });

const random = seededRandom(7);
const pick = (below: number) => Math.floor(random() * below);
const nextRank = zipfSampler(random, 20_000);
const createText = (words: number) => Array.from({ length: words }, () => syntheticWord(nextRank())).join(" ");

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table.stop());

/** Processes a delivery and returns the failures. */
async function deliver(delivery: readonly Change[]): Promise<PromiseRejectedResult[]> {
  const results = await Promise.allSettled(
    delivery.flatMap((change) =>
      indexRules.filter(({ on }) => on.includes(change.type)).map((rule) => rule.apply(change)),
    ),
  );
  return results.filter((result) => result.status === "rejected");
}

async function createChange(tenantId: string, ref: DocumentRef, type: string): Promise<Change> {
  const after = await tenantTable({ tenantId }).get(keys.document(tenantId, ref.collection_id, ref.id), {
    consistent: true,
  });
  return { id: crypto.randomUUID(), type, timestamp: 0, before: undefined, after };
}

async function addCollection(tenantId: string, readers: string[] = ["tenant"]) {
  const collection = newCollection("u", { name: crypto.randomUUID(), description: "", readers });
  await tenantTable({ tenantId }).transact(newCollectionWrites({ tenantId }, collection));
  return collection;
}

async function addDocument(tenantId: string, collectionId: string, text: string): Promise<StoredDocument> {
  const fields = { title: createText(4), media_type: "text/plain", uri: null, metadata: {}, source: null } as const;
  const document = newTextDocument(collectionId, "u", text, fields);
  await tenantTable({ tenantId }).transact(
    await newDocumentWrites({ tenantId }, [{ document, source: { format: "text/plain", text } }]),
  );
  return document;
}

const occurrence = (key: string, { inText, inTitle, length, collectionTag }: Posting) =>
  `${key} ${inText} ${inTitle} ${length} ${collectionTag}`;

/** Reads a tenant's index: the numbers of each posting by `term document.place`, and the statistics. */
async function readIndexState(tenantId: string) {
  const items = (await table.scan()).filter(({ pk }) => String(pk).startsWith(`${tenantId}#`));
  const itemsOfType = (discriminator: string) => items.filter((item) => item.discriminator === discriminator);
  const names = new Map(itemsOfType("passage").map((item) => [item.passage, `${item.document_id}.${item.place}`]));
  const storedPostings = itemsOfType("postings").map((item) => ({
    term: String(item.pk).split("#").at(-1) ?? "",
    total: item.total,
    postings: decodePostings(Buffer.from(String(item.postings), "base64")),
  }));
  const counts = new Map<string, number>();
  for (const { term, postings } of storedPostings) counts.set(term, (counts.get(term) ?? 0) + postings.length);
  const wrongTotals = storedPostings.filter(({ term, total }) => total !== undefined && total !== counts.get(term));
  const [statistics] = itemsOfType("index-statistics");
  return {
    postings: storedPostings
      .flatMap(({ term, postings }) =>
        postings.map((posting) => occurrence(`${term} ${names.get(posting.passage)}`, posting)),
      )
      .sort(),
    passages: [...names.values()].sort(),
    wrongTotals,
    statistics: {
      passages: Number(statistics?.passages ?? 0),
      length: Number(statistics?.length ?? 0),
      inEnglish: Number(statistics?.passages_en ?? 0),
    },
    leftovers: itemsOfType("document-source").length,
  };
}

/** Computes the expected index state from the documents. */
function computeExpectedState(documents: readonly { document: StoredDocument; text: string }[]) {
  const all = documents.flatMap(({ document, text }) =>
    splitIntoPassages(text, "text/plain").map((passage, place) => ({
      name: `${document.id}.${place}`,
      postings: toPostings({
        passage: 0,
        collectionId: document.collection_id,
        language: "en",
        title: document.title,
        ...passage,
      }),
    })),
  );
  return {
    postings: all
      .flatMap(({ name, postings }) => [...postings].map(([term, posting]) => occurrence(`${term} ${name}`, posting)))
      .sort(),
    passages: all.map(({ name }) => name).sort(),
    wrongTotals: [],
    statistics: {
      passages: all.length,
      length: all.reduce((sum, { postings }) => sum + (postings.values().next().value?.length ?? 0), 0),
      inEnglish: all.length,
    },
    leftovers: documents.length,
  };
}

it("stream processor that indexes documents builds the index that a full recomputation yields from repeated, reordered and malformed changes", async () => {
  const tenantId = "changes";
  const collections = [await addCollection(tenantId), await addCollection(tenantId)];
  const documents = new Map<string, { document: StoredDocument; text: string }>();
  let pending: Change[][] = [];
  let malformedChanges = 0;
  let failures = 0;
  const deliverAll = async () => {
    while (pending.length > 0) {
      const delivery: Change[] = [];
      while (delivery.length < 100 && pending.length > 0) {
        const at = pick(pending.length);
        const change = pending[at]?.shift();
        if (change) delivery.push(change);
        if (pending[at]?.length === 0) pending.splice(at, 1);
      }
      failures += (await deliver(delivery)).length;
    }
  };
  const streams = new Map<string, Change[]>();
  for (let index = 0; index < changeCount; index++) {
    const deletedEntry = random() < 0.35 ? [...documents.values()][pick(documents.size)] : undefined;
    const ref =
      deletedEntry?.document ??
      (await (async () => {
        const text = createText(20 + pick(200));
        const document = await addDocument(tenantId, collections[pick(2)]?.id ?? "", text);
        documents.set(document.id, { document, text });
        return document;
      })());
    if (deletedEntry) {
      await deleteDocument({ tenantId }, ref);
      documents.delete(ref.id);
    }
    const change = await createChange(tenantId, ref, deletedEntry ? "document-deleted" : "document-created");
    streams.set(ref.id, [...(streams.get(ref.id) ?? []), change]);
    if (index % 100 === 50) {
      malformedChanges++;
      const images = [
        { pk: `${tenantId}#x`, status: "indexing" },
        { status: "indexing", id: 5 },
        { deleted: true, pk: "" },
      ];
      pending.push([{ ...change, after: images[malformedChanges % 3] }]);
    }
    if (index % 150 === 149 || index === changeCount - 1) {
      // Every change is delivered twice; changes of one document keep their order.
      pending = [...pending, ...[...streams.values()].map((stream) => [...stream, ...stream])];
      streams.clear();
      await deliverAll();
    }
  }
  expect(failures).toBe(malformedChanges);
  expect(documents.size).toBeGreaterThan(changeCount / 5);
  const state = await readIndexState(tenantId);
  expect(state).toEqual(computeExpectedState([...documents.values()]));
  const stored = await findDocuments(
    { tenantId },
    [...documents.values()].slice(0, 100).map(({ document }) => document),
  );
  expect(stored.every(({ status }) => status === "ready")).toBe(true);
});

it("stream processor that indexes documents indexes and removes a document exactly once although it is interrupted at every write", async () => {
  const tenantId = "interrupted";
  const { id } = await addCollection(tenantId);
  const text = createText(40);
  const document = await addDocument(tenantId, id, text);
  /**
   * Delivers a change until it succeeds, and returns the number of attempts. Attempts fail after 0, 1, 2, … writes;
   * each round of attempts allows one more write than the round before.
   */
  const deliverWithInterruptions = async (change: Change) => {
    for (let attempts = 1, maxWrites = 2; maxWrites < 20; maxWrites++) {
      for (let writes = 0; writes < maxWrites; writes++, attempts++) {
        if ((await table.failAfter(writes, () => deliver([change]))).length === 0) return attempts;
      }
    }
    throw new Error("Delivery never succeeded");
  };
  expect(await deliverWithInterruptions(await createChange(tenantId, document, "document-created"))).toBeGreaterThan(5);
  expect(await readIndexState(tenantId)).toEqual(computeExpectedState([{ document, text }]));
  await deleteDocument({ tenantId }, document);
  expect(await deliverWithInterruptions(await createChange(tenantId, document, "document-deleted"))).toBeGreaterThan(5);
  expect(await readIndexState(tenantId)).toEqual(computeExpectedState([]));
});

it("stream processor that indexes documents keeps separate index statistics for each tenant", async () => {
  const text = "the same words for both tenants";
  for (const tenantId of ["apart-1", "apart-2"]) {
    const { id } = await addCollection(tenantId);
    const document = await addDocument(tenantId, id, text);
    await deliver([await createChange(tenantId, document, "document-created")]);
  }
  const scores = await Promise.all(
    ["apart-1", "apart-2"].map((tenantId) => searchKnowledge({ tenantId, userId: "u" }, { text, limit: 10 })),
  );
  expect(scores.map((hits) => hits.length)).toEqual([1, 1]);
  expect((await readIndexState("apart-1")).statistics.passages).toBe(1);
});

it("stream processor that indexes documents removes the documents of a deleted collection, and no others", async () => {
  const tenantId = "purged";
  const [collectionToKeep, collectionToDelete] = [await addCollection(tenantId), await addCollection(tenantId)];
  const text = createText(100);
  const document = await addDocument(tenantId, collectionToKeep.id, text);
  const created: Change[] = [await createChange(tenantId, document, "document-created")];
  for (let count = 0; count < passageCount; count += 2) {
    const other = await addDocument(tenantId, collectionToDelete.id, createText(300));
    created.push(await createChange(tenantId, other, "document-created"));
  }
  for (let start = 0; start < created.length; start += 100) await deliver(created.slice(start, start + 100));
  // This document is being indexed while its collection is deleted.
  const unindexedDocument = await addDocument(tenantId, collectionToDelete.id, createText(100));
  const [collection] = await findCollections({ tenantId }, [collectionToDelete.id]);
  if (!collection) throw new Error("Expected a collection");
  await deleteCollection({ tenantId }, collection);
  const startedAt = Date.now();
  const after = { pk: `${tenantId}#collection#${collectionToDelete.id}`, id: collectionToDelete.id, deleted: true };
  const deletion: Change = { id: "1", type: "collection-deleted", timestamp: 0, before: undefined, after };
  for (let round = 0; round < 10 && (await table.get(after.pk, "collection")); round++) {
    expect(await deliver([deletion])).toEqual([]);
  }
  expect(await deliver([await createChange(tenantId, unindexedDocument, "document-deleted")])).toEqual([]);
  if (isFullRun) console.info(`${passageCount} passages removed in ${Date.now() - startedAt} ms`);
  expect(await readIndexState(tenantId)).toEqual(computeExpectedState([{ document, text }]));
  expect(await deliver([deletion])).toEqual([]);
});
