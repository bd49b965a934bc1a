import { keys } from "../../dynamodb/keys.ts";
import type { Write } from "../../dynamodb/table.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { notFound, ServiceError } from "../../lib/errors.ts";
import { truncate } from "../../lib/truncate.ts";
import {
  aliveFolder,
  findFolder,
  folderOf,
  freeNameWrite,
  nameWrite,
  placementWrites,
  type StoredFolder,
  unmoved,
} from "./folder-store.ts";

/** Conversations moved at the same time. */
const atOnce = 25;

/** Tries to find a name that is free, and a place that stays where it is. */
const attempts = 20;

/** The next folder above that is not deleted itself; null where there is none. */
async function heirOf(member: UserScope, folder: StoredFolder): Promise<string | null> {
  for (let id = folder.parent_id; id !== null; ) {
    const above = await findFolder(member, id);
    if (!above) return null;
    if (!above.deleted) return id;
    id = above.parent_id;
  }
  return null;
}

const checkPlace = ({ tenantId, userId }: UserScope, heir: string | null): Write[] =>
  heir === null ? [] : [{ check: keys.folder(tenantId, userId, heir), condition: aliveFolder }];

async function moveFolder(member: UserScope, folder: StoredFolder, heir: string | null, name: string): Promise<void> {
  const key = keys.folder(member.tenantId, member.userId, folder.id);
  const set = { parent_id: heir, name, timestamp: now() };
  if (folder.deleted) {
    // It has no name to keep any more, and what is in it looks for the way up through it.
    await tenantTable(member).write({
      update: key,
      set,
      condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
    });
    return;
  }
  await tenantTable(member).transact([
    { update: key, set, condition: unmoved(folder) },
    nameWrite(member, { parent_id: heir, name }),
    freeNameWrite(member, folder),
    ...checkPlace(member, heir),
  ]);
}

async function moveConversation(member: UserScope, id: string, from: string, heir: string | null): Promise<void> {
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
      set: { folder_id: heir, timestamp: now() },
      condition: { where: "#folder_id = :from", values: { from }, onConditionFailed: notFound },
    },
    ...placementWrites(member, id, from, heir),
  ]);
}

/** What was to be moved was moved or deleted by somebody else, or its new place was: there is another look at it. */
function tryAgain(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}

/**
 * Moves what a deleted folder has left to the folder above it, at last removes the folder itself. Interrupted at any
 * point it can be done again, and by two at once.
 * @param most conversations to move at most; what is left over is left for another time
 */
export async function purgeFolder(member: UserScope, id: string, most = Number.POSITIVE_INFINITY): Promise<void> {
  const { tenantId, userId } = member;
  const table = tenantTable(member);
  let moved = 0;
  for (let attempt = 1; attempt <= attempts; ) {
    const folder = await findFolder(member, id);
    if (!folder?.deleted) return;
    const heir = await heirOf(member, folder);
    const all = await table.query({ pk: keys.folder(tenantId, userId, "").pk, prefix: "folder#", consistent: true });
    const below = all.map(folderOf).filter(({ parent_id }) => parent_id === id);
    const entries = await table.query({ pk: keys.folderEntry(tenantId, id, "").pk, limit: atOnce, consistent: true });
    if (below.length === 0 && entries.length === 0) {
      await table.deleteMany([keys.folder(tenantId, userId, id)]);
      return;
    }
    if (moved >= most) return;
    for (const child of below) {
      const name = attempt === 1 ? child.name : `${truncate(child.name, 90)} (${attempt})`;
      await moveFolder(member, child, heir, name).catch(tryAgain);
    }
    await Promise.all(
      entries.map((entry) => moveConversation(member, String(entry.conversation_id), id, heir).catch(tryAgain)),
    );
    moved += entries.length;
    // As long as conversations go, there is no reason to give up.
    if (below.length > 0 || entries.length < atOnce) attempt++;
  }
  throw new Error("A deleted folder does not get empty");
}
