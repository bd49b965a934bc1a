import { afterAll, beforeAll, expect, it } from "vitest";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import {
  findCollections,
  getCollection,
  listCollections,
  projectCollection,
  type StoredCollection,
  updateCollection,
} from "#shared/knowledge/collection-store.ts";
import {
  documentReadersWrites,
  findDocuments,
  getDocument,
  listDocuments,
  type StoredDocument,
} from "#shared/knowledge/document-store.ts";
import { reindexCollection, reindexDocument } from "#shared/knowledge/indexing/collection-changes.ts";
import { reconcileDocuments } from "#shared/knowledge/indexing/index-documents.ts";
import { readPassage } from "#shared/knowledge/read-passage.ts";
import { hideSources } from "#shared/knowledge/readers/hide-sources.ts";
import { findReadableDocuments } from "#shared/knowledge/search/readable-documents.ts";
import { searchKnowledge } from "#shared/knowledge/search/search-knowledge.ts";
import { addMembership, deleteGroup, deleteMembership, findGroup } from "#shared/tenancy/group-store.ts";
import { addCollection, addGroup, addReadableDocument } from "#test/support/knowledge/add-readable-document.ts";
import { seededRandom, syntheticWord } from "#test/support/knowledge/synthetic-text.ts";
import { sized } from "#test/support/run-size.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table.stop());

/** Applies a change of readers as the rules of the stream processor do, and indexes what it schedules. */
async function reindex(
  scope: { tenantId: string },
  collections: readonly StoredCollection[],
  documents: StoredDocument[],
) {
  for (const collection of await findCollections(
    scope,
    collections.map(({ id }) => id),
  )) {
    await reindexCollection(scope, collection);
  }
  for (const document of documents) await reindexDocument(scope, document);
  await reconcileDocuments(scope, documents);
}

it("every door of the knowledge shows 420 pairs of person and document exactly as far as readers and groups allow now", async () => {
  const scope = { tenantId: "matrix" };
  const random = seededRandom(62);
  const pick = <Entry>(entries: readonly Entry[]) => entries[Math.floor(random() * entries.length)] as Entry;
  const some = <Entry>(entries: readonly Entry[], share: number) => entries.filter(() => random() < share);
  const people = Array.from({ length: 12 }, (_, index) => `p${index}`);
  const members = new Map<string, Set<string>>();
  for (let index = 0; index < 6; index++) {
    const of = some(people, 0.3);
    members.set(await addGroup(scope, of), new Set(of));
  }
  const someReaders = () => {
    if (random() < 0.15) return ["tenant"];
    const readers = [
      ...some([...members.keys()], 0.25).map((id) => `group:${id}`),
      ...some(people, 0.08).map((id) => `user:${id}`),
    ];
    return readers.sort();
  };
  const collections: StoredCollection[] = [];
  for (let index = 0; index < 8; index++) collections.push(await addCollection(scope, pick(people), someReaders()));
  const documents: StoredDocument[] = [];
  for (let index = 0; index < 35; index++) {
    const collection = pick(collections);
    const fields = { title: `Sheet ${syntheticWord(5_000 + index)}`, text: `The ${syntheticWord(index)} is blue.` };
    const readers = random() < 0.5 ? null : someReaders();
    documents.push(
      await addReadableDocument(scope, collection, {
        ...fields,
        readers,
        authorId: pick([collection.owner_id, pick(people)]),
      }),
    );
  }
  await reconcileDocuments(scope, documents);

  const matches = (reader: string, person: string) =>
    reader === "tenant" ||
    reader === `user:${person}` ||
    members.get(reader.replace("group:", ""))?.has(person) === true;
  const mayReadCollection = (person: string, { owner_id, readers }: StoredCollection) =>
    owner_id === person || readers.some((reader) => matches(reader, person));
  const mayRead = (person: string, collection: StoredCollection, { author_id, readers }: StoredDocument) =>
    mayReadCollection(person, collection) &&
    (readers === null ||
      [collection.owner_id, author_id].includes(person) ||
      readers.some((reader) => matches(reader, person)));

  /** Compares every door with the rule. Between a change and its reindexing, searches may miss what was just gained. */
  const check = async (isIndexed: boolean) => {
    let pairs = 0;
    for (const person of people) {
      const reader = { ...scope, userId: person };
      const current = await findCollections(
        scope,
        collections.map(({ id }) => id),
      );
      const stored = await findDocuments(scope, documents);
      const readableCollections = current.filter((each) => mayReadCollection(person, each));
      const { entries } = await listCollections(reader, { limit: 100 });
      expect(entries.map(({ id }) => id).sort()).toEqual(readableCollections.map(({ id }) => id).sort());
      const all = stored.map((document) => ({ ...document, document_id: document.id }));
      const found = await findReadableDocuments(reader, all);
      for (const collection of current) {
        const inCollection = stored.filter(({ collection_id }) => collection_id === collection.id);
        const readable = inCollection.filter((document) => mayRead(person, collection, document)).map(({ id }) => id);
        const listed = await listDocuments(reader, collection, { limit: 100 });
        if (mayReadCollection(person, collection)) {
          expect(listed.entries.map(({ id }) => id).sort()).toEqual(readable.toSorted());
          const { document_count } = projectCollection(reader, await getCollection(reader, collection.id));
          const open = inCollection.filter(({ readers }) => readers === null).length;
          expect(document_count).toBe(person === collection.owner_id ? inCollection.length : open);
        }
        for (const document of inCollection) {
          pairs++;
          const isReadable = readable.includes(document.id);
          const opened = await getDocument(reader, document).then(
            () => true,
            () => false,
          );
          const passage = await readPassage(reader, document, 0, 1).then(
            () => true,
            () => false,
          );
          const hits = await searchKnowledge(reader, { text: document.title.slice(6), limit: 5, minRelevance: 0 });
          const isHit = hits.some(({ document_id }) => document_id === document.id);
          const citation = {
            type: "citation" as const,
            ...{ index: 1, source_id: "s", source_type: "document", title: document.title },
            ...{ collection_id: collection.id, document_id: document.id, uri: null, quote: "blue", score: 1 },
          } as const;
          const [shown] = await hideSources(reader, [{ content: [citation], author_id: "another" }]);
          const isShown = JSON.stringify(shown).includes(document.title);
          const doors = { opened, passage, isShown, isFound: found.has(document.id) };
          expect({ person, ...doors }).toEqual({
            ...{ person, opened: isReadable, passage: isReadable, isShown: isReadable, isFound: isReadable },
          });
          if (!isReadable || isIndexed)
            expect({ person, title: document.title, isHit }).toMatchObject({ isHit: isReadable });
        }
      }
    }
    return pairs;
  };
  expect(await check(true)).toBe(420);
  const rounds = sized({ usual: 1, full: 6 });
  for (let round = 0; round < rounds; round++) {
    // Groups change without any indexing.
    const [group = "", of = new Set<string>()] = pick([...members]);
    const person = pick(people);
    if (of.has(person)) {
      await deleteMembership(scope, group, person);
      of.delete(person);
    } else {
      await addMembership(scope, group, person);
      of.add(person);
    }
    await check(true);
    if ((round % 2 === 1 || rounds === 1) && (await findGroup(scope, group))) {
      await deleteGroup(scope, group);
      members.delete(group);
    }
    for (let changes = 0; changes < 3; changes++) {
      const [collection] = await findCollections(scope, [pick(collections).id]);
      if (collection) await updateCollection(scope, collection, { readers: someReaders() });
      const [document] = await findDocuments(scope, [pick(documents)]);
      const readers = random() < 0.5 ? null : someReaders();
      if (document) await tenantTable(scope).transact(documentReadersWrites(scope, document, readers));
    }
    await check(false);
    await reindex(scope, collections, documents);
    await check(true);
  }
});
