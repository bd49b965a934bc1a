import * as v from "valibot";
import { Collection } from "../api/knowledge/collections.ts";
import { ALL_READERS } from "../api/knowledge/reader-names.ts";
import { batchGetAll } from "../dynamodb/batch-get-all.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { type KeyOwner, userOwner } from "../dynamodb/key-owner.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listMergedPage } from "../dynamodb/merged-page.ts";
import { mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { absent, allOf, equals, hasAttribute, type Item, notDeleted, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { changedConcurrently, notFound, ServiceError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { type KnowledgeReader, userAudiences } from "./knowledge-access.ts";
import { ReaderAccess } from "./readers/reader-access.ts";

/** Fields of a collection that can be changed. */
type CollectionChanges = Partial<
  Pick<Collection, "name" | "description" | "instructions" | "max_age_days" | "readers">
>;

const StoredCollection = v.object({
  ...Collection.entries,
  /** Number of documents with narrower readers, which others than the owner do not learn. */
  narrowed_count: v.optional(v.number(), 0),
  /** Number of completed syncs with a source, from which on what they have staged is visible. */
  completed_syncs: v.optional(v.number(), 0),
});
/** Collection with the attributes that clients do not receive. */
export type StoredCollection = v.InferOutput<typeof StoredCollection>;

export const readCollection = itemReader(StoredCollection);

/**
 * Returns the keys under which a collection is listed. Collections of named readers are one list, because groups change: it
 * is filtered by what the caller may read now.
 */
export function collectionIndexKeys({ tenantId }: TenantScope, collection: Collection) {
  const { id, owner_id, readers } = collection;
  const list = readers.includes(ALL_READERS) ? "tenant" : readers.length === 0 ? userOwner(owner_id) : "readers";
  return indexKeys.collectionByReaders(tenantId, list, id);
}

/** Returns a collection as a reader sees it: without the number of documents that may be hidden from the reader. */
export const projectCollection = ({ userId }: KnowledgeReader, collection: StoredCollection): Collection => {
  const { narrowed_count, completed_syncs: _, ...fields } = collection;
  if (fields.owner_id === userId) return fields;
  return { ...fields, document_count: fields.document_count - narrowed_count };
};

/**
 * Condition that a collection is not deleted and was not renamed. It throws ServiceError `not_found` or `conflict`. A
 * deleted collection remains as a tombstone until its documents are purged.
 */
const notDeletedWithName = (name: string) =>
  allOf([notDeleted(), equals({ name })], (existing) =>
    !existing || existing.deleted ? notFound() : changedConcurrently("The collection"),
  );

type Named = Pick<Collection, "id" | "name" | "owner_id">;

/**
 * Returns the key that reserves a collection's name for its owner. If names were unique in the tenant, an error would tell that
 * a hidden collection exists. They are compared without case and compatibility forms.
 */
const toNameKey = ({ tenantId }: TenantScope, { owner_id, name }: Pick<Named, "name" | "owner_id">) =>
  keys.collectionName(tenantId, owner_id, name.normalize("NFKC").toLowerCase());

function nameWrite(scope: TenantScope, collection: Named): Write {
  return {
    put: { ...toNameKey(scope, collection), discriminator: "collection-name", collection_id: collection.id },
    condition: absent(() => new ServiceError("conflict", "The owner has a collection with this name already.")),
  };
}

/**
 * Returns the writes that move the name of a collection to a new owner.
 * @param moved collection with its new owner and name. The write throws ServiceError `conflict` if the owner has the name already
 */
export const moveNameWrites = (scope: TenantScope, collection: Named, moved: Named): Write[] => [
  nameWrite(scope, moved),
  { delete: toNameKey(scope, collection) },
];

export function newCollection(
  ownerId: string,
  fields: Pick<Collection, "name" | "description" | "readers"> & CollectionChanges,
): StoredCollection {
  const createdAt = timestamp();
  return {
    id: newId(),
    instructions: "",
    max_age_days: null,
    ...fields,
    document_count: 0,
    narrowed_count: 0,
    completed_syncs: 0,
    owner_id: ownerId,
    created_at: createdAt,
    updated_at: createdAt,
  };
}

/** Returns the writes that store a new collection and reserve its name. They must be one transaction. */
export function newCollectionWrites(scope: TenantScope, collection: StoredCollection): Write[] {
  const { tenantId } = scope;
  return [
    {
      put: {
        ...keys.collection(tenantId, collection.id),
        ...collectionIndexKeys(scope, collection),
        discriminator: "collection",
        timestamp: now(),
        ...collection,
      },
    },
    nameWrite(scope, collection),
  ];
}

/** Returns the collections with the given ids, in no particular order. Missing and deleted ones are left out. */
export async function findCollections(scope: TenantScope, ids: readonly string[]): Promise<StoredCollection[]> {
  const items = await batchGetAll(
    tenantTable(scope),
    ids.map((id) => keys.collection(scope.tenantId, id)),
    { consistent: true },
  );
  return items.filter(({ deleted }) => !deleted).map(readCollection);
}

/**
 * Returns a collection if the reader may read it.
 * @throws ServiceError `not_found`
 */
export async function getCollection(reader: KnowledgeReader, id: string): Promise<StoredCollection> {
  const [collection] = await findCollections(reader, [id]);
  if (!collection) throw notFound();
  await ReaderAccess.of(reader).authorize(collection);
  return collection;
}

/**
 * Lists the collections that a reader may read, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listCollections(reader: KnowledgeReader, request: PageRequest): Promise<Page<StoredCollection>> {
  const access = ReaderAccess.of(reader);
  const toList = (list: KeyOwner) => ({
    index: "gsi1" as const,
    pk: indexKeys.collectionByReaders(reader.tenantId, list, "").gsi1pk,
  });
  const where = (item: Item) => access.canRead(readCollection(item));
  const lists = [...userAudiences(reader.userId).map(toList), { ...toList("readers"), where }];
  const binding = { list: "collections", filters: { user: reader.userId } };
  return mapPage(await listMergedPage(reader, binding, lists, request), readCollection);
}

/**
 * Updates a collection and the reservation of its name.
 * @param collection collection as it was read
 * @throws ServiceError `not_found`; `conflict` if the name is taken or the collection was renamed concurrently
 */
export async function updateCollection(
  scope: TenantScope,
  collection: StoredCollection,
  changes: CollectionChanges,
): Promise<StoredCollection> {
  const { id, name } = collection;
  const updated = { ...collection, ...changes, updated_at: timestamp() };
  const isRenamed = toNameKey(scope, updated).pk !== toNameKey(scope, collection).pk;
  const update: Write = {
    update: keys.collection(scope.tenantId, id),
    set: {
      ...changes,
      // Other changes leave the index keys alone, because a concurrent request may have changed the readers.
      ...(changes.readers && collectionIndexKeys(scope, updated)),
      updated_at: updated.updated_at,
      timestamp: now(),
    },
    condition: notDeletedWithName(name),
  };
  if (!isRenamed) return readCollection((await tenantTable(scope).write(update)) as Item);
  await tenantTable(scope).transact([update, ...moveNameWrites(scope, collection, updated)]);
  return updated;
}

/**
 * Returns the writes that delete a collection and release its name. They throw ServiceError `not_found` if it is deleted
 * already, and `conflict` if it was renamed concurrently.
 */
export function deleteCollectionWrites(scope: TenantScope, collection: Collection): Write[] {
  const { id, name } = collection;
  return [
    {
      update: keys.collection(scope.tenantId, id),
      set: { deleted: true, timestamp: now() },
      remove: ["gsi1pk", "gsi1sk"],
      condition: notDeletedWithName(name),
    },
    { delete: toNameKey(scope, collection) },
  ];
}

/**
 * Deletes a collection. Readers no longer find it from then on; the rule `purge-collection` purges its documents later.
 * @throws ServiceError `not_found`; `conflict` if the collection was renamed concurrently
 */
export async function deleteCollection(scope: TenantScope, collection: Collection): Promise<void> {
  await tenantTable(scope).transact(deleteCollectionWrites(scope, collection));
}

/**
 * Returns the write that changes the document counts of a collection. It throws ServiceError `not_found` if the collection is
 * deleted.
 * @param changes.narrowed change of the number of documents with narrower readers
 */
export function documentCountWrite(
  scope: TenantScope,
  collectionId: string,
  changes: { readonly documents: number; readonly narrowed: number },
): Write {
  return {
    update: keys.collection(scope.tenantId, collectionId),
    add: {
      ...(changes.documents !== 0 && { document_count: changes.documents }),
      ...(changes.narrowed !== 0 && { narrowed_count: changes.narrowed }),
    },
    condition: notDeleted(notFound),
  };
}

/**
 * Returns the write that continues the purge of a deleted collection: its change triggers the rule `purge-collection`
 * again.
 */
export function resumePurgeWrite(scope: TenantScope, collectionId: string): Write {
  return {
    update: keys.collection(scope.tenantId, collectionId),
    set: { timestamp: now() },
    condition: hasAttribute("deleted"),
  };
}

/** Deletes the tombstone of a purged collection. */
export async function deleteCollectionItem(scope: TenantScope, collectionId: string): Promise<void> {
  await tenantTable(scope).deleteMany([keys.collection(scope.tenantId, collectionId)]);
}
