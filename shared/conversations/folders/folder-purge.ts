import { keyPrefixes, keys } from "../../dynamodb/keys.ts";
import { equals, exists, notDeleted, type Write } from "../../dynamodb/table.ts";
import { tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { notFound, ServiceError } from "../../lib/errors.ts";
import { truncate } from "../../lib/truncate.ts";
import { changeFolderWrites } from "./folder-entry-writes.ts";
import {
  findFolder,
  folderUnchangedSince,
  readFolder,
  releaseNameWrite,
  reserveNameWrite,
  type StoredFolder,
} from "./folder-store.ts";

const MAX_CONCURRENT_MOVES = 25;

/**
 * Maximum number of attempts to move the contents of a folder. From the second attempt on, subfolders get a number
 * after their name, because the name may be taken.
 */
const MAX_ATTEMPTS = 20;

/** Returns the nearest ancestor that is not deleted, or null if there is none. */
async function findNearestLiveAncestor(member: UserScope, folder: StoredFolder): Promise<string | null> {
  for (let id = folder.parent_id; id !== null; ) {
    const ancestor = await findFolder(member, id);
    if (!ancestor) return null;
    if (!ancestor.deleted) return id;
    id = ancestor.parent_id;
  }
  return null;
}

const folderExistsChecks = ({ tenantId, userId }: UserScope, folderId: string | null): Write[] =>
  folderId === null ? [] : [{ check: keys.folder(tenantId, userId, folderId), condition: notDeleted(notFound) }];

async function moveFolder(
  member: UserScope,
  folder: StoredFolder,
  parentId: string | null,
  name: string,
): Promise<void> {
  const key = keys.folder(member.tenantId, member.userId, folder.id);
  const set = { parent_id: parentId, name, timestamp: now() };
  if (folder.deleted) {
    // A deleted folder has no reserved name, but its contents find their new parent through it.
    await tenantTable(member).write({
      update: key,
      set,
      condition: exists(notFound),
    });
    return;
  }
  await tenantTable(member).transact([
    { update: key, set, condition: folderUnchangedSince(folder) },
    reserveNameWrite(member, { parent_id: parentId, name }),
    releaseNameWrite(member, folder),
    ...folderExistsChecks(member, parentId),
  ]);
}

async function moveConversation(member: UserScope, id: string, from: string, to: string | null): Promise<void> {
  const { tenantId } = member;
  const table = tenantTable(member);
  const conversation = await table.get(keys.conversation(tenantId, id), { consistent: true });
  if (conversation?.folder_id !== from) {
    await table.deleteMany([keys.folderEntry(tenantId, from, id)]);
    return;
  }
  await table.transact([
    {
      update: keys.conversation(tenantId, id),
      set: { folder_id: to, timestamp: now() },
      condition: equals({ folder_id: from }, notFound),
    },
    ...changeFolderWrites(member, id, from, to),
  ]);
}

/** Ignores errors because of concurrent changes. The next attempt reads the moved resource and its new folder again. */
function ignoreServiceError(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}

/**
 * Moves the contents of a deleted folder to its nearest existing ancestor, and then deletes the folder's item.
 * Idempotent, also if calls run concurrently.
 * @param maxConversations number of conversations after which to stop; a later call moves the rest
 */
export async function purgeFolder(
  member: UserScope,
  id: string,
  maxConversations = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { tenantId, userId } = member;
  const table = tenantTable(member);
  let movedConversations = 0;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; ) {
    const folder = await findFolder(member, id);
    if (!folder?.deleted) return;
    const newParentId = await findNearestLiveAncestor(member, folder);
    const folderItems = await table.query({
      pk: keys.folder(tenantId, userId, "").pk,
      prefix: keyPrefixes.folder,
      consistent: true,
    });
    const children = folderItems.map(readFolder).filter(({ parent_id }) => parent_id === id);
    const entries = await table.query({
      pk: keys.folderEntry(tenantId, id, "").pk,
      limit: MAX_CONCURRENT_MOVES,
      consistent: true,
    });
    if (children.length === 0 && entries.length === 0) {
      await table.deleteMany([keys.folder(tenantId, userId, id)]);
      return;
    }
    if (movedConversations >= maxConversations) return;
    for (const child of children) {
      const name = attempt === 1 ? child.name : `${truncate(child.name, 90)} (${attempt})`;
      await moveFolder(member, child, newParentId, name).catch(ignoreServiceError);
    }
    await Promise.all(
      entries.map((entry) =>
        moveConversation(member, String(entry.conversation_id), id, newParentId).catch(ignoreServiceError),
      ),
    );
    movedConversations += entries.length;
    // A full batch of conversations is progress and does not count as an attempt.
    if (children.length > 0 || entries.length < MAX_CONCURRENT_MOVES) attempt++;
  }
  throw new Error("Purge of a deleted folder exceeded its attempts");
}
