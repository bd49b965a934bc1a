import type { Collection } from "../api/knowledge/collections.ts";
import { batchGetAll } from "../dynamodb/batch-get-all.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listMergedPage } from "../dynamodb/merged-page.ts";
import type { Page, PageRequest } from "../dynamodb/pagination.ts";
import type { Condition, Item, Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { changedConcurrently, notFound, ServiceError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { audienceOf, audiencesOf, type KnowledgeReader, requireReader } from "./knowledge-access.ts";

/** What a collection's keepers can change about it. */
export type CollectionChanges = Partial<Pick<Collection, "name" | "description" | "visibility">>;

/** The collection of an item. */
export const collectionOf = (item: Item) => item as unknown as Collection;

/** A deleted collection is kept until everything in it is gone, but nobody sees it. */
const alive = "attribute_exists(#pk) AND attribute_not_exists(#deleted)";

/** Holds while a collection is there under that name. */
const stillNamed = (name: string): Condition => ({
  where: `${alive} AND #name = :name`,
  values: { name },
  onConditionFailed: (found) =>
    !found || found.deleted ? notFound() : changedConcurrently("The collection"),
});

/** Names are the same when people would read them as the same. */
const nameKey = ({ tenantId }: TenantScope, name: string) =>
  keys.collectionName(tenantId, name.normalize("NFKC").toLowerCase());

function nameWrite(scope: TenantScope, { id, name }: Pick<Collection, "id" | "name">): Write {
  return {
    put: { ...nameKey(scope, name), discriminator: "collection-name", collection_id: id },
    condition: {
      where: "attribute_not_exists(#pk)",
      onConditionFailed: () => new ServiceError("conflict", "There is a collection of this name already."),
    },
  };
}

/** A fresh collection of the user. */
export function newCollection(
  ownerId: string,
  fields: Pick<Collection, "name" | "description" | "visibility">,
): Collection {
  const at = timestamp();
  return { id: newId(), ...fields, document_count: 0, owner_id: ownerId, created_at: at, updated_at: at };
}

/** The writes that store a fresh collection; in one transaction, for its name must not be taken. */
export function collectionWrites(scope: TenantScope, collection: Collection): Write[] {
  const { tenantId } = scope;
  return [
    {
      put: {
        ...keys.collection(tenantId, collection.id),
        ...indexKeys.collectionByAudience(tenantId, audienceOf(collection), collection.id),
        discriminator: "collection",
        timestamp: now(),
        ...collection,
      },
    },
    nameWrite(scope, collection),
  ];
}

/** Those of the collections that exist, in no particular order. */
export async function findCollections(scope: TenantScope, ids: readonly string[]): Promise<Collection[]> {
  const items = await batchGetAll(
    tenantTable(scope),
    ids.map((id) => keys.collection(scope.tenantId, id)),
    { consistent: true },
  );
  return items.filter(({ deleted }) => !deleted).map(collectionOf);
}

/**
 * A collection that the reader may read.
 * @throws ServiceError `not_found`
 */
export async function getCollection(reader: KnowledgeReader, id: string): Promise<Collection> {
  const [collection] = await findCollections(reader, [id]);
  if (!collection) throw notFound();
  requireReader(reader, collection);
  return collection;
}

/**
 * The collections a reader may read, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listCollections(reader: KnowledgeReader, request: PageRequest): Promise<Page<Collection>> {
  const lists = audiencesOf(reader).map((audience) => ({
    index: "gsi1" as const,
    pk: indexKeys.collectionByAudience(reader.tenantId, audience, "").gsi1pk,
  }));
  const binding = { list: "collections", filters: { user: reader.userId } };
  const { entries, next } = await listMergedPage(reader, binding, lists, request);
  return { entries: entries.map(collectionOf), next };
}

/**
 * Changes a collection, and the claim on its name along with it.
 * @param collection as it was read
 * @throws ServiceError `not_found`; `conflict` where the name is taken or somebody else renames it at the same time
 */
export async function updateCollection(
  scope: TenantScope,
  collection: Collection,
  changes: CollectionChanges,
): Promise<Collection> {
  const { id, name } = collection;
  const updated = { ...collection, ...changes, updated_at: timestamp() };
  const renamed = nameKey(scope, updated.name).pk !== nameKey(scope, name).pk;
  const update: Write = {
    update: keys.collection(scope.tenantId, id),
    set: {
      ...changes,
      // Where it is listed goes with its visibility, and with nothing else: that may be changing at this moment.
      ...(changes.visibility && indexKeys.collectionByAudience(scope.tenantId, audienceOf(updated), id)),
      updated_at: updated.updated_at,
      timestamp: now(),
    },
    condition: stillNamed(name),
  };
  if (!renamed) return collectionOf((await tenantTable(scope).write(update)) as Item);
  await tenantTable(scope).transact([update, nameWrite(scope, updated), { delete: nameKey(scope, name) }]);
  return updated;
}

/** The writes that delete a collection; a `not_found` where it is gone, a `conflict` where it was renamed meanwhile. */
export function deletedCollectionWrites(scope: TenantScope, { id, name }: Collection): Write[] {
  return [
    {
      update: keys.collection(scope.tenantId, id),
      set: { deleted: true, timestamp: now() },
      remove: ["gsi1pk", "gsi1sk"],
      condition: stillNamed(name),
    },
    { delete: nameKey(scope, name) },
  ];
}

/**
 * Deletes a collection: it is gone to every reader at once, and its name is free; what is in it follows by the change feed.
 * @throws ServiceError `not_found`; `conflict` where somebody else renames it at the same time
 */
export async function deleteCollection(scope: TenantScope, collection: Collection): Promise<void> {
  await tenantTable(scope).transact(deletedCollectionWrites(scope, collection));
}

/**
 * The write that counts a document in (1) or out (-1); part of the same transaction.
 * @throws (from the transaction) ServiceError `not_found` when the collection is gone
 */
export function countWrite(scope: TenantScope, collectionId: string, documents: 1 | -1): Write {
  return {
    update: keys.collection(scope.tenantId, collectionId),
    add: { document_count: documents },
    condition: { where: alive, onConditionFailed: notFound },
  };
}

/** The write that lets the purge of a deleted collection go on in another go: it is a change again. */
export function continueWrite(scope: TenantScope, collectionId: string): Write {
  return {
    update: keys.collection(scope.tenantId, collectionId),
    set: { timestamp: now() },
    condition: { where: "attribute_exists(#deleted)" },
  };
}

/** Removes a collection that has nothing in it any more. */
export async function eraseCollection(scope: TenantScope, collectionId: string): Promise<void> {
  await tenantTable(scope).deleteMany([keys.collection(scope.tenantId, collectionId)]);
}
