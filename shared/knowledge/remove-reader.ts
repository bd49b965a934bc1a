import { indexKeys, keys } from "../dynamodb/keys.ts";
import { exists, ignoreConditionFailed } from "../dynamodb/table.ts";
import { tenantTable, type UserScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { readCollection, updateCollection } from "./collection-store.ts";
import { type DocumentRef, documentReadersWrites, findDocuments } from "./document-store.ts";
import { readPassageBlock } from "./index/passage-store.ts";
import { ignoreGone } from "./indexing/ignore-gone.ts";
import type { Audience } from "./knowledge-access.ts";
import { personReader, toOwnAudience } from "./readers/audiences.ts";
import { findLists, toListAttribute } from "./readers/reader-audiences.ts";

/** Number of passages in a block, which is one partition of the table. */
const BLOCK_SIZE = 256;

async function removeFromCollections(person: UserScope): Promise<void> {
  const reader = personReader(person.userId);
  const { gsi1pk } = indexKeys.collectionByReaders(person.tenantId, "readers", "");
  for (const item of await tenantTable(person).query({ index: "gsi1", pk: gsi1pk })) {
    const collection = readCollection(item);
    if (!collection.readers.includes(reader)) continue;
    const readers = collection.readers.filter((each) => each !== reader);
    await updateCollection(person, collection, { readers }).catch(ignoreGone);
  }
}

/** Returns the documents that have passages in an audience, or had them until they were moved. */
async function findDocumentsOf(person: UserScope, audience: Audience): Promise<DocumentRef[]> {
  const statistics = await tenantTable(person).get(keys.indexStatistics(person.tenantId, audience));
  const refs = new Map<string, DocumentRef>();
  for (let first = 0; first < Number(statistics?.next ?? 0); first += BLOCK_SIZE) {
    for (const { document_id: id, collection_id } of await readPassageBlock(person, audience, first)) {
      refs.set(id, { id, collection_id });
    }
  }
  return [...refs.values()];
}

/**
 * Removes a person from the readers of all collections and documents. Documents are found by the audiences of the lists that name
 * the person.
 * @param deadlineMs time after which the caller must call again
 * @returns false if the time ran out; what was done is not repeated
 */
export async function removeReader(person: UserScope, deadlineMs: number): Promise<boolean> {
  const table = tenantTable(person);
  const reader = personReader(person.userId);
  await removeFromCollections(person);
  const own = keys.indexStatistics(person.tenantId, toOwnAudience(reader));
  for (const audience of findLists(await table.get(own, { consistent: true }))) {
    if (now() > deadlineMs) return false;
    for (const document of await findDocuments(person, await findDocumentsOf(person, audience))) {
      if (!document.readers?.includes(reader)) continue;
      const readers = document.readers.filter((each) => each !== reader);
      await table.transact(documentReadersWrites(person, document, readers)).catch(ignoreGone);
    }
    await table
      .write({ update: own, remove: [toListAttribute(audience)], condition: exists() })
      .catch(ignoreConditionFailed);
  }
  return true;
}
