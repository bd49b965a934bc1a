import * as v from "valibot";
import { Folder } from "../../api/conversations/folders.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../../dynamodb/pagination.ts";
import { absent, allOf, type Condition, equals, lacksAttribute, notDeleted, type Write } from "../../dynamodb/table.ts";
import { tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { changedConcurrently, invalidField, notFound, ServiceError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";

const StoredFolder = v.object({ ...Folder.entries, deleted: v.optional(v.boolean()) });
/** Folder with its deletion mark. A deleted folder stays stored until `purgeFolder` has moved its contents. */
export type StoredFolder = v.InferOutput<typeof StoredFolder>;

const MAX_DEPTH = 10;

export const readFolder = itemReader(StoredFolder);

/**
 * Condition that a folder still has the name and parent with which it was read. Fails with `conflict`, or `not_found`
 * if it was deleted.
 */
export function folderUnchangedSince({ name, parent_id }: Folder): Condition {
  return allOf([lacksAttribute("deleted"), equals({ name, parent_id })], (existing) =>
    existing && !existing.deleted ? folderChanged() : notFound(),
  );
}

/** Returns the error for a folder that was changed concurrently. */
export const folderChanged = () => changedConcurrently("The folder");

const nameTaken = () => new ServiceError("conflict", "A folder with this name already exists here.");

const toNameKey = ({ tenantId, userId }: UserScope, { parent_id, name }: Pick<Folder, "parent_id" | "name">) =>
  keys.folderName(tenantId, userId, parent_id, name.toLowerCase());

/**
 * Returns the write that reserves a name in a parent folder, ignoring case. Fails with `conflict` if the name is taken.
 */
export function reserveNameWrite(
  member: UserScope,
  location: Pick<Folder, "parent_id" | "name">,
  onConditionFailed = nameTaken,
): Write {
  return {
    put: { ...toNameKey(member, location), discriminator: "folder-name" },
    condition: absent(onConditionFailed),
  };
}

export function releaseNameWrite(member: UserScope, location: Pick<Folder, "parent_id" | "name">): Write {
  return { delete: toNameKey(member, location) };
}

/** Returns a folder of the user, also one that is marked as deleted. */
export async function findFolder(member: UserScope, id: string): Promise<StoredFolder | undefined> {
  const item = await tenantTable(member).get(keys.folder(member.tenantId, member.userId, id), { consistent: true });
  return item && readFolder(item);
}

/** @throws ServiceError `not_found` */
export async function getFolder(member: UserScope, id: string): Promise<StoredFolder> {
  const folder = await findFolder(member, id);
  if (!folder || folder.deleted) throw notFound();
  return folder;
}

/**
 * Lists the user's folders, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listFolders(member: UserScope, request: PageRequest): Promise<Page<Folder>> {
  const { pk } = keys.folder(member.tenantId, member.userId, "");
  const list = { list: "folders", filters: { user: member.userId }, pk, prefix: keyPrefixes.folder };
  return mapPage(
    await listPage(member, { ...list, descending: true, consistent: true, where: ({ deleted }) => !deleted }, request),
    readFolder,
  );
}

const invalidParent = (code: string, message: string) => invalidField("parent_id", code, message);

const tooDeep = () => invalidParent("too_deep", `must not nest folders more than ${MAX_DEPTH} levels deep`);

/**
 * Returns the parent folder of a location and all folders above it, nearest first.
 * @throws ServiceError `not_found` if one does not exist, `validation_failed` if there are too many levels
 */
async function getAncestors(member: UserScope, parentId: string | null): Promise<StoredFolder[]> {
  const ancestors: StoredFolder[] = [];
  for (let id = parentId; id !== null; ) {
    const folder = await getFolder(member, id);
    ancestors.push(folder);
    if (ancestors.length >= MAX_DEPTH) throw tooDeep();
    id = folder.parent_id;
  }
  return ancestors;
}

/** Returns the number of levels of a folder and its subfolders; 1 without subfolders. */
async function getTreeHeight(member: UserScope, id: string): Promise<number> {
  const { pk } = keys.folder(member.tenantId, member.userId, "");
  const items = await tenantTable(member).query({ pk, prefix: keyPrefixes.folder, consistent: true });
  const childrenById = Map.groupBy(items.map(readFolder), ({ parent_id }) => parent_id);
  const toHeight = (folderId: string): number =>
    1 + Math.max(0, ...(childrenById.get(folderId) ?? []).map((child) => toHeight(child.id)));
  return toHeight(id);
}

/** Returns a new folder that is not stored yet. */
export function newFolder({ name, parent_id }: Pick<Folder, "name" | "parent_id">): Folder {
  const at = timestamp();
  return { id: newId(), name, parent_id, conversation_count: 0, created_at: at, updated_at: at };
}

/**
 * Returns the writes that store a new folder.
 * @throws ServiceError `not_found` if the parent does not exist, `validation_failed` if there are too many levels
 */
export async function newFolderWrites(member: UserScope, folder: Folder): Promise<Write[]> {
  const { tenantId, userId } = member;
  const [parent] = await getAncestors(member, folder.parent_id);
  return [
    reserveNameWrite(member, folder),
    {
      put: {
        ...keys.folder(tenantId, userId, folder.id),
        discriminator: "folder",
        timestamp: now(),
        owner_id: userId,
        ...folder,
      },
    },
    ...(parent ? [{ check: keys.folder(tenantId, userId, parent.id), condition: notDeleted(notFound) }] : []),
  ];
}

/**
 * Renames or moves a folder. The transaction checks that none of the new ancestors has moved, so that concurrent moves
 * cannot create a cycle.
 * @throws ServiceError `not_found`; `conflict` if the name is taken or the folder was changed concurrently;
 * `validation_failed` if the new parent is inside the folder or there are too many levels
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
  const ancestors = parent_id === before.parent_id ? [] : await getAncestors(member, parent_id);
  if (ancestors.some((folder) => folder.id === id)) throw invalidParent("circular", "must not be inside the folder");
  if (ancestors.length > 0 && ancestors.length + (await getTreeHeight(member, id)) > MAX_DEPTH) throw tooDeep();
  const isNameKeyChanged = toNameKey(member, before).sk !== toNameKey(member, after).sk;
  await tenantTable(member).transact([
    {
      update: keys.folder(tenantId, userId, id),
      set: { name, parent_id, updated_at: after.updated_at, timestamp: now() },
      condition: folderUnchangedSince(before),
    },
    ...ancestors.map((folder) => ({
      check: keys.folder(tenantId, userId, folder.id),
      condition: folderUnchangedSince(folder),
    })),
    ...(isNameKeyChanged ? [reserveNameWrite(member, after), releaseNameWrite(member, before)] : []),
  ]);
  return getFolder(member, id);
}

/**
 * Marks a folder as deleted, so that it becomes invisible, and releases its name. `purgeFolder` moves its contents
 * afterwards.
 * @throws ServiceError `not_found`, or `conflict` if it was changed concurrently
 */
export async function softDeleteFolder(member: UserScope, folder: StoredFolder): Promise<void> {
  await tenantTable(member).transact([
    {
      update: keys.folder(member.tenantId, member.userId, folder.id),
      set: { deleted: true, timestamp: now() },
      condition: folderUnchangedSince(folder),
    },
    releaseNameWrite(member, folder),
  ]);
}
