import { type TenantScope, tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { newCollection, newCollectionWrites, type StoredCollection } from "#shared/knowledge/collection-store.ts";
import { newDocumentWrites, newTextDocument, type StoredDocument } from "#shared/knowledge/document-store.ts";
import { newGroupWrites } from "#shared/tenancy/group-store.ts";

/** Stores a collection with readers. */
export async function addCollection(
  scope: TenantScope,
  ownerId: string,
  readers: readonly string[],
): Promise<StoredCollection> {
  const fields = { name: `Collection ${crypto.randomUUID()}`, description: "", readers: [...readers] };
  const collection = newCollection(ownerId, fields);
  await tenantTable(scope).transact(newCollectionWrites(scope, collection));
  return collection;
}

/** Stores a document with readers of its own, or null for those of its collection. It is not indexed yet. */
export async function addReadableDocument(
  scope: TenantScope,
  collection: StoredCollection,
  {
    title,
    text,
    readers = null,
    authorId = collection.owner_id,
  }: {
    readonly title: string;
    readonly text: string;
    readonly readers?: readonly string[] | null;
    readonly authorId?: string;
  },
): Promise<StoredDocument> {
  const fields = { title, media_type: "text/plain", uri: null, metadata: {}, source: null } as const;
  const document = newTextDocument(collection.id, authorId, text, { ...fields, readers: readers && [...readers] });
  const source = { format: "text/plain", text } as const;
  await tenantTable(scope).transact(await newDocumentWrites(scope, [{ document, source }]));
  return document;
}

/** Stores a group and returns its id. */
export async function addGroup(scope: TenantScope, members: readonly string[]): Promise<string> {
  const id = crypto.randomUUID();
  const group = { id, name: `Group ${id}`, roles: [], member_ids: [...members] };
  await tenantTable(scope).transact(newGroupWrites(scope, group as Parameters<typeof newGroupWrites>[1]));
  return id;
}
