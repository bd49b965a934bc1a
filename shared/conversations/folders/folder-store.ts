import type { Folder } from "../../api/conversations/folders.ts";
import { keys } from "../../dynamodb/keys.ts";
import { listPage, type Page, type PageRequest } from "../../dynamodb/pagination.ts";
import type { Condition, Item, Write } from "../../dynamodb/table.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { changedConcurrently, invalidField, notFound, ServiceError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";

/** A folder as it is kept: a deleted one stays until all that was in it has moved. */
export interface StoredFolder extends Folder {
  readonly deleted?: boolean;
}

/** Folders from the top to the deepest. */
const deepest = 10;

/** The folder of an item. */
export const folderOf = (item: Item) => item as unknown as StoredFolder;

/** A folder that is not deleted. */
export const aliveFolder: Condition = {
  where: "attribute_exists(#pk) AND attribute_not_exists(#deleted)",
  onConditionFailed: notFound,
};

/** Holds while a folder is where it was and has the name it had; what depends on that is tried again otherwise. */
export function unmoved({ name, parent_id }: Folder): Condition {
  return {
    where: "attribute_not_exists(#deleted) AND #name = :name AND #parent_id = :parent_id",
    values: { name, parent_id },
    onConditionFailed: (found) => (found && !found.deleted ? folderChanged() : notFound()),
  };
}

const folderChanged = () => changedConcurrently("The folder");

const nameTaken = () => new ServiceError("conflict", "There is a folder of this name.");

const nameKey = ({ tenantId, userId }: UserScope, { parent_id, name }: Pick<Folder, "parent_id" | "name">) =>
  keys.folderName(tenantId, userId, parent_id, name.toLowerCase());

/** The write that takes a name under a parent. */
export function nameWrite(member: UserScope, place: Pick<Folder, "parent_id" | "name">, onConditionFailed = nameTaken): Write {
  return {
    put: { ...nameKey(member, place), discriminator: "folder-name" },
    condition: { where: "attribute_not_exists(#pk)", onConditionFailed },
  };
}

/** The write that gives a name under a parent up. */
export function freeNameWrite(member: UserScope, place: Pick<Folder, "parent_id" | "name">): Write {
  return { delete: nameKey(member, place) };
}

/** A folder of this person, deleted or not, or undefined. */
export async function findFolder(member: UserScope, id: string): Promise<StoredFolder | undefined> {
  const item = await tenantTable(member).get(keys.folder(member.tenantId, member.userId, id), { consistent: true });
  return item && folderOf(item);
}

/** @throws ServiceError `not_found` */
export async function getFolder(member: UserScope, id: string): Promise<StoredFolder> {
  const folder = await findFolder(member, id);
  if (!folder || folder.deleted) throw notFound();
  return folder;
}

/**
 * The person's folders, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listFolders(member: UserScope, request: PageRequest): Promise<Page<Folder>> {
  const { pk } = keys.folder(member.tenantId, member.userId, "");
  const list = { list: "folders", filters: { user: member.userId }, pk, prefix: "folder#" };
  const { entries, next } = await listPage(
    member,
    { ...list, descending: true, consistent: true, where: ({ deleted }) => !deleted },
    request,
  );
  return { entries: entries.map(folderOf), next };
}

const badParent = (code: string, message: string) =>
  invalidField({ path: "parent_id", location: "body", code, message });

const tooDeep = () => badParent("too_deep", `folders can be at most ${deepest} deep`);

/**
 * The folders a new place lies in, from its parent up.
 * @throws ServiceError `not_found` for a parent that is not there, `validation_failed` for one that is too deep
 */
async function pathTo(member: UserScope, parentId: string | null): Promise<StoredFolder[]> {
  const path: StoredFolder[] = [];
  for (let id = parentId; id !== null; ) {
    const folder = await getFolder(member, id);
    path.push(folder);
    if (path.length >= deepest) throw tooDeep();
    id = folder.parent_id;
  }
  return path;
}

/** How deep it goes from a folder down, itself included. */
async function heightOf(member: UserScope, id: string): Promise<number> {
  const { pk } = keys.folder(member.tenantId, member.userId, "");
  const all = (await tenantTable(member).query({ pk, prefix: "folder#", consistent: true })).map(folderOf);
  const below = Map.groupBy(all, ({ parent_id }) => parent_id);
  const height = (folder: string): number =>
    1 + Math.max(0, ...(below.get(folder) ?? []).map((child) => height(child.id)));
  return height(id);
}

/** A fresh folder. */
export function newFolder({ name, parent_id }: Pick<Folder, "name" | "parent_id">): Folder {
  const at = timestamp();
  return { id: newId(), name, parent_id, conversation_count: 0, created_at: at, updated_at: at };
}

/**
 * The writes that store a fresh folder.
 * @throws ServiceError `not_found` for a parent that is not there, `validation_failed` for one that is too deep
 */
export async function newFolderWrites(member: UserScope, folder: Folder): Promise<Write[]> {
  const { tenantId, userId } = member;
  const path = await pathTo(member, folder.parent_id);
  return [
    nameWrite(member, folder),
    {
      put: {
        ...keys.folder(tenantId, userId, folder.id),
        discriminator: "folder",
        timestamp: now(),
        owner_id: userId,
        ...folder,
      },
    },
    ...path.slice(0, 1).map(({ id }) => ({ check: keys.folder(tenantId, userId, id), condition: aliveFolder })),
  ];
}

/**
 * Renames or moves a folder. All the folders it moves into have to stay where they are meanwhile: so two moves at once
 * never make a circle.
 * @throws ServiceError `not_found`, `conflict`, `validation_failed` for a place that is too deep or below itself
 */
export async function updateFolder(
  member: UserScope,
  id: string,
  changes: { readonly name?: string; readonly parent_id?: string | null },
): Promise<Folder> {
  const { tenantId, userId } = member;
  const before = await getFolder(member, id);
  const { name = before.name, parent_id = before.parent_id } = changes;
  const after = { ...before, name, parent_id, updated_at: timestamp() };
  const path = parent_id === before.parent_id ? [] : await pathTo(member, parent_id);
  if (path.some((folder) => folder.id === id)) throw badParent("circular", "must not lie in the folder itself");
  if (path.length > 0 && path.length + (await heightOf(member, id)) > deepest) throw tooDeep();
  const renamed = nameKey(member, before).sk !== nameKey(member, after).sk;
  await tenantTable(member).transact([
    {
      update: keys.folder(tenantId, userId, id),
      set: { name, parent_id, updated_at: after.updated_at, timestamp: now() },
      condition: unmoved(before),
    },
    ...path.map((folder) => ({ check: keys.folder(tenantId, userId, folder.id), condition: unmoved(folder) })),
    ...(renamed ? [nameWrite(member, after), freeNameWrite(member, before)] : []),
  ]);
  return getFolder(member, id);
}

/**
 * Deletes a folder: it is gone from the person's view and its name is free. What was in it has yet to move.
 * @throws ServiceError `not_found`
 */
export async function markDeleted(member: UserScope, folder: StoredFolder): Promise<void> {
  await tenantTable(member).transact([
    {
      update: keys.folder(member.tenantId, member.userId, folder.id),
      set: { deleted: true, timestamp: now() },
      condition: unmoved(folder),
    },
    freeNameWrite(member, folder),
  ]);
}

/** The writes that take a conversation that is no more out of its folder; they fail where it is in it no more. */
export function expelWrites({ tenantId, userId }: UserScope, conversationId: string, folder: string): Write[] {
  return [
    {
      delete: keys.folderEntry(tenantId, folder, conversationId),
      condition: { where: "attribute_exists(#pk)" },
    },
    {
      update: keys.folder(tenantId, userId, folder),
      add: { conversation_count: -1 },
      condition: { where: "attribute_exists(#pk)" },
    },
  ];
}

/**
 * The writes that move a conversation from one folder of its owner's to another: null is none. Of a folder that is not
 * there any more it is a `not_found`.
 */
export function placementWrites(
  owner: UserScope,
  conversationId: string,
  from: string | null,
  to: string | null,
): Write[] {
  const { tenantId, userId } = owner;
  if (from === to) return [];
  const count = (folder: string, conversations: number, condition: Condition): Write => ({
    update: keys.folder(tenantId, userId, folder),
    add: { conversation_count: conversations },
    condition,
  });
  return [
    ...(from === null
      ? []
      : [
          count(from, -1, { where: "attribute_exists(#pk)", onConditionFailed: folderChanged }),
          { delete: keys.folderEntry(tenantId, from, conversationId) },
        ]),
    ...(to === null
      ? []
      : [
          count(to, 1, aliveFolder),
          {
            put: {
              ...keys.folderEntry(tenantId, to, conversationId),
              discriminator: "folder-entry",
              conversation_id: conversationId,
            },
          },
        ]),
  ];
}
