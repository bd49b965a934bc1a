import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Change } from "#shared/changes/processor.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import {
  collectionWrites,
  deleteCollection,
  findCollections,
  newCollection,
} from "#shared/knowledge/collection-store.ts";
import {
  type DocumentRef,
  deleteDocument,
  documentWrites,
  findDocuments,
  newDocument,
  type StoredDocument,
} from "#shared/knowledge/document-store.ts";
import { postingsOf } from "#shared/knowledge/index/lexical-index.ts";
import { type Posting, unpack } from "#shared/knowledge/index/postings.ts";
import { passagesOf } from "#shared/knowledge/indexing/passages.ts";
import { searchKnowledge } from "#shared/knowledge/search/search-knowledge.ts";
import { seededRandom, syntheticWord, zipfSampler } from "#test/support/knowledge/synthetic-text.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";
import { rules } from "../../functions/changes/index-documents/rules.ts";

const full = process.env.SWITCHBOARD_FULL !== undefined;
/** Changes of documents in the long test, and passages of the collection that is deleted. */
const changes = full ? 10_000 : 300;
const passages = full ? 5_000 : 200;
const patience = full ? 900_000 : 120_000;

const random = seededRandom(7);
const pick = (below: number) => Math.floor(random() * below);
const next = zipfSampler(random, 20_000);
const textOf = (words: number) => Array.from({ length: words }, () => syntheticWord(next())).join(" ");

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table.stop());

/** The processor gets a delivery; gives what could not be processed. */
async function deliver(delivery: readonly Change[]): Promise<PromiseRejectedResult[]> {
  const results = await Promise.allSettled(
    delivery.flatMap((change) => rules.filter(({ on }) => on.includes(change.type)).map((rule) => rule.apply(change))),
  );
  return results.filter((result) => result.status === "rejected");
}

async function changeOf(tenantId: string, ref: DocumentRef, type: string): Promise<Change> {
  const [after] = await findDocuments({ tenantId }, [ref]);
  return { id: crypto.randomUUID(), type, timestamp: 0, before: undefined, after };
}

async function addCollection(tenantId: string, visibility: "private" | "tenant" = "tenant") {
  const collection = newCollection("u", { name: crypto.randomUUID(), description: "", visibility });
  await tenantTable({ tenantId }).transact(collectionWrites({ tenantId }, collection));
  return collection;
}

async function addDocument(tenantId: string, collectionId: string, text: string): Promise<StoredDocument> {
  const fields = { title: textOf(4), media_type: "text/plain", uri: null, metadata: {}, source: null } as const;
  const document = newDocument(collectionId, "u", text, fields);
  await tenantTable({ tenantId }).transact(documentWrites({ tenantId }, document, text));
  return document;
}

const occurrence = (key: string, { inText, inTitle, length, collectionTag }: Posting) =>
  `${key} ${inText} ${inTitle} ${length} ${collectionTag}`;

/** What is in the index of a tenant: `term document.place` with the numbers of the posting, and the statistics. */
async function indexState(tenantId: string) {
  const items = (await table.scan()).filter(({ pk }) => String(pk).startsWith(`${tenantId}#`));
  const of = (discriminator: string) => items.filter((item) => item.discriminator === discriminator);
  const names = new Map(of("passage").map((item) => [item.passage, `${item.document_id}.${item.place}`]));
  const found = of("postings").map((item) => ({
    term: String(item.pk).split("#").at(-1) ?? "",
    total: item.total,
    postings: unpack(Buffer.from(String(item.postings), "base64")),
  }));
  const counts = new Map<string, number>();
  for (const { term, postings } of found) counts.set(term, (counts.get(term) ?? 0) + postings.length);
  const wrongTotals = found.filter(({ term, total }) => total !== undefined && total !== counts.get(term));
  const [statistics] = of("index-statistics");
  return {
    postings: found
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
    leftovers: of("document-source").length,
  };
}

/** The same, computed from the documents alone. */
function expectedState(documents: readonly { document: StoredDocument; text: string }[]) {
  const all = documents.flatMap(({ document, text }) =>
    passagesOf(text, document.media_type).map((passage, place) => ({
      name: `${document.id}.${place}`,
      postings: postingsOf({
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

describe("the index", () => {
  it(
    "is what a recomputation gives, after changes delivered twice, in any order between documents, some of them rubbish",
    async () => {
      const tenantId = "changes";
      const collections = [await addCollection(tenantId), await addCollection(tenantId)];
      const living = new Map<string, { document: StoredDocument; text: string }>();
      let waiting: Change[][] = [];
      let rubbish = 0;
      let refused = 0;
      const deliverAll = async () => {
        while (waiting.length > 0) {
          const delivery: Change[] = [];
          while (delivery.length < 100 && waiting.length > 0) {
            const at = pick(waiting.length);
            const change = waiting[at]?.shift();
            if (change) delivery.push(change);
            if (waiting[at]?.length === 0) waiting.splice(at, 1);
          }
          refused += (await deliver(delivery)).length;
        }
      };
      const streams = new Map<string, Change[]>();
      for (let made = 0; made < changes; made++) {
        const victim = random() < 0.35 ? [...living.values()][pick(living.size)] : undefined;
        const ref =
          victim?.document ??
          (await (async () => {
            const text = textOf(20 + pick(200));
            const document = await addDocument(tenantId, collections[pick(2)]?.id ?? "", text);
            living.set(document.id, { document, text });
            return document;
          })());
        if (victim) {
          await deleteDocument({ tenantId }, ref);
          living.delete(ref.id);
        }
        const change = await changeOf(tenantId, ref, victim ? "document-deleted" : "document-created");
        streams.set(ref.id, [...(streams.get(ref.id) ?? []), change]);
        if (made % 100 === 50) {
          rubbish++;
          const images = [
            { pk: `${tenantId}#x`, status: "indexing" },
            { status: "indexing", id: 5 },
            { deleted: true, pk: "" },
          ];
          waiting.push([{ ...change, after: images[rubbish % 3] }]);
        }
        if (made % 150 === 149 || made === changes - 1) {
          // Everything comes twice; what concerns one document keeps its order each time.
          waiting = [...waiting, ...[...streams.values()].map((stream) => [...stream, ...stream])];
          streams.clear();
          await deliverAll();
        }
      }
      expect(refused).toBe(rubbish);
      expect(living.size).toBeGreaterThan(changes / 5);
      const state = await indexState(tenantId);
      expect(state).toEqual(expectedState([...living.values()]));
      const stored = await findDocuments(
        { tenantId },
        [...living.values()].slice(0, 100).map(({ document }) => document),
      );
      expect(stored.every(({ status }) => status === "ready")).toBe(true);
    },
    patience,
  );

  it("takes a document in, and out, once when it is interrupted at every point there is", async () => {
    const tenantId = "interrupted";
    const { id } = await addCollection(tenantId);
    const text = textOf(40);
    const document = await addDocument(tenantId, id, text);
    /** Attempts get one write far, then two, then three, and again from one on, until one gets through. */
    const interrupted = async (change: Change) => {
      for (let attempts = 1, most = 2; most < 20; most++) {
        for (let writes = 0; writes < most; writes++, attempts++) {
          if ((await table.failAfter(writes, () => deliver([change]))).length === 0) return attempts;
        }
      }
      throw new Error("It never gets through");
    };
    expect(await interrupted(await changeOf(tenantId, document, "document-created"))).toBeGreaterThan(5);
    expect(await indexState(tenantId)).toEqual(expectedState([{ document, text }]));
    await deleteDocument({ tenantId }, document);
    expect(await interrupted(await changeOf(tenantId, document, "document-deleted"))).toBeGreaterThan(5);
    expect(await indexState(tenantId)).toEqual(expectedState([]));
  });

  it("counts each tenant for itself", async () => {
    const text = "the very same words for everybody";
    for (const tenantId of ["apart-1", "apart-2"]) {
      const { id } = await addCollection(tenantId);
      const document = await addDocument(tenantId, id, text);
      await deliver([await changeOf(tenantId, document, "document-created")]);
    }
    const scores = await Promise.all(
      ["apart-1", "apart-2"].map((tenantId) => searchKnowledge({ tenantId, userId: "u" }, { text, limit: 10 })),
    );
    expect(scores.map((hits) => hits.length)).toEqual([1, 1]);
    expect((await indexState("apart-1")).statistics.passages).toBe(1);
  });

  it(
    "forgets a deleted collection, and nothing else",
    async () => {
      const tenantId = "purged";
      const [kept, doomed] = [await addCollection(tenantId), await addCollection(tenantId)];
      const text = textOf(100);
      const document = await addDocument(tenantId, kept.id, text);
      const created: Change[] = [await changeOf(tenantId, document, "document-created")];
      for (let made = 0; made < passages; made += 2) {
        const other = await addDocument(tenantId, doomed.id, textOf(300));
        created.push(await changeOf(tenantId, other, "document-created"));
      }
      for (let start = 0; start < created.length; start += 100) await deliver(created.slice(start, start + 100));
      // One is just being indexed when the collection goes.
      const late = await addDocument(tenantId, doomed.id, textOf(100));
      const [collection] = await findCollections({ tenantId }, [doomed.id]);
      if (!collection) throw new Error("no collection");
      await deleteCollection({ tenantId }, collection);
      const began = Date.now();
      const after = { pk: `${tenantId}#collection#${doomed.id}`, id: doomed.id, deleted: true };
      const gone: Change = { id: "1", type: "collection-deleted", timestamp: 0, before: undefined, after };
      for (let round = 0; round < 10 && (await table.get(after.pk, "collection")); round++) {
        expect(await deliver([gone])).toEqual([]);
      }
      expect(await deliver([await changeOf(tenantId, late, "document-deleted")])).toEqual([]);
      if (full) console.info(`${passages} passages forgotten in ${Date.now() - began} ms`);
      expect(await indexState(tenantId)).toEqual(expectedState([{ document, text }]));
      expect(await deliver([gone])).toEqual([]);
    },
    patience,
  );
});
