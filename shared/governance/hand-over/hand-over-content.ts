import type { Folder } from "../../api/conversations/folders.ts";
import { readConversation } from "../../conversations/conversation-store.ts";
import {
  readFolder,
  releaseNameWrite,
  reserveNameWrite,
  type StoredFolder,
} from "../../conversations/folders/folder-store.ts";
import { listMessages, markHandedOver } from "../../conversations/message-store.ts";
import { listShareLinks, revokeShareLink } from "../../conversations/sharing/share-link-store.ts";
import { toUserActor } from "../../dynamodb/audit-attribution.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import { absent, allOf, anyOf, equals, exists, type Item, notDeleted, type Write } from "../../dynamodb/table.ts";
import { tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { collectionIndexKeys, moveNameWrites, readCollection } from "../../knowledge/collection-store.ts";
import { now } from "../../lib/clock.ts";
import { notFound, ServiceError } from "../../lib/errors.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { newNoteWrite, readNote } from "../../memory/note-store.ts";
import { endpointOwnerWrites } from "../../personas/endpoint-store.ts";
import { readPersona, toPersonaIndexKeys } from "../../personas/persona-store.ts";
import { readTemplate, toTemplateIndexKeys } from "../../personas/template-store.ts";
import { completeDeletion, countErasureWrite, getDeletion } from "../deletion-store.ts";
import { type DeletionJob, scheduleDeletion } from "../erasure/schedule-deletion.ts";
import { ownedResources } from "../owned-resources.ts";

/** Time after which a job stops and enqueues a message that continues it. */
const MAX_JOB_DURATION_MS = 30_000;
const PAGE_SIZE = 50;

/** Hand-over of one user's content. */
interface HandOver {
  readonly from: UserScope;
  readonly to: UserScope;
  readonly count: Write;
}

type Move = (handOver: HandOver, item: Item) => Promise<void>;

/** Changes the owner in an item. Its key contains no user. */
const ownerWrite = ({ from, to }: HandOver, { pk, sk }: Item, set: Record<string, unknown>, add = {}): Write => ({
  update: { pk: String(pk), sk: String(sk) },
  set: { ...set, owner_id: to.userId, timestamp: now() },
  add,
  condition: allOf([notDeleted(), equals({ owner_id: from.userId })], notFound),
});

/** Replaces an item whose key contains the user. */
const replace = ({ to, count }: HandOver, { pk, sk }: Item, writes: readonly Write[]) =>
  tenantTable(to).transact([
    ...writes,
    { delete: { pk: String(pk), sk: String(sk) }, condition: exists(notFound) },
    count,
  ]);

async function moveConversation({ from, to, count }: HandOver, item: Item): Promise<void> {
  const { id, last_activity_at } = readConversation(item);
  const table = tenantTable(to);
  const update = keys.conversation(to.tenantId, id);
  // An interrupted job has changed the owner already.
  const isOwner = anyOf([equals({ owner_id: from.userId }), equals({ owner_id: to.userId })]);
  const set = { owner_id: to.userId, timestamp: now() };
  await table.write({ update, set, condition: allOf([notDeleted(), isOwner], notFound) });
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await listMessages(to, id, { order: "asc", limit: PAGE_SIZE, ...(cursor && { cursor }) });
    await mapConcurrent(page.entries, (message) => markHandedOver(to, message, to.userId));
    cursor = page.next;
  }
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await listShareLinks(to, id, { limit: PAGE_SIZE, ...(cursor && { cursor }) });
    for (const { link_id, status } of page.entries) if (status === "active") await revokeShareLink(to, id, link_id);
    cursor = page.next;
  }
  // Only then the conversation leaves the list of the user: an interrupted job finds it again.
  await table.transact([
    {
      update,
      set: indexKeys.conversationByActivity(to.tenantId, to.userId, last_activity_at),
      condition: allOf([notDeleted(), equals({ gsi1pk: item.gsi1pk })], notFound),
    },
    { delete: keys.grant(from.tenantId, id, to.userId) },
    count,
  ]);
}

/** Moves a folder with its id, to which conversations and subfolders refer. A name that the person has gets a number. */
async function moveFolder(handOver: HandOver, item: Item): Promise<void> {
  const { from, to } = handOver;
  const folder = readFolder(item);
  const taken = () => new ServiceError("conflict");
  for (let number = 1; ; number++) {
    const moved: StoredFolder & Folder = { ...folder, name: number === 1 ? folder.name : `${folder.name} (${number})` };
    const put = { ...item, ...moved, ...keys.folder(to.tenantId, to.userId, folder.id), owner_id: to.userId };
    try {
      return await replace(handOver, item, [
        reserveNameWrite(to, moved, taken),
        { put: { ...put, timestamp: now() }, condition: absent() },
        releaseNameWrite(from, folder),
      ]);
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === "conflict") || number >= 100) throw error;
    }
  }
}

/** Moves a collection, whose readers contain its owner. A name that the person has gets a number. */
async function moveCollection(handOver: HandOver, item: Item): Promise<void> {
  const { to, count } = handOver;
  const collection = readCollection(item);
  for (let number = 1; ; number++) {
    const name = number === 1 ? collection.name : `${collection.name} (${number})`;
    const moved = { ...collection, name, owner_id: to.userId };
    try {
      return await tenantTable(to).transact([
        ownerWrite(handOver, item, { ...collectionIndexKeys(to, moved), name }),
        ...moveNameWrites(to, collection, moved),
        count,
      ]);
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === "conflict") || number >= 100) throw error;
    }
  }
}

const moves: Readonly<Record<string, Move>> = {
  folder: moveFolder,
  conversation: moveConversation,
  note: (handOver, item) =>
    replace(handOver, item, [newNoteWrite(handOver.to, { ...readNote(item), author_id: handOver.to.userId })]),
  async persona(handOver, item) {
    const persona = readPersona(item);
    const { to } = handOver;
    const keysOfOwner = toPersonaIndexKeys(to, { ...persona, owner_id: to.userId });
    await tenantTable(to).transact([
      ownerWrite(handOver, item, keysOfOwner, { revision: 1 }),
      ...endpointOwnerWrites(to, persona, to.userId),
      handOver.count,
    ]);
  },
  async template(handOver, item) {
    const { to } = handOver;
    const keysOfOwner = toTemplateIndexKeys(to, { ...readTemplate(item), owner_id: to.userId });
    await tenantTable(to).transact([ownerWrite(handOver, item, keysOfOwner), handOver.count]);
  },
  collection: moveCollection,
};

/** Kinds in the order of their hand-over. Conversations follow their folders. */
const movedResources = ownedResources.filter(({ kind }) => kind in moves);

/**
 * Gives the content of a user who left to another person. The audit trail records the requester as the actor. A continued
 * job starts from the beginning, because what was moved is no longer listed.
 */
export async function handOverContent({ tenantId, id }: DeletionJob): Promise<void> {
  const startedAtMs = now();
  const { status, user_id, successor_id, requested_by } = await getDeletion({ tenantId }, id);
  if (status === "completed" || successor_id === null) return;
  const actor = toUserActor(requested_by);
  const from = { tenantId, userId: user_id, actor };
  const to = { tenantId, userId: successor_id, actor };
  for (const { kind, list } of movedResources) {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list(from, { limit: PAGE_SIZE, ...(cursor && { cursor }) });
      for (const item of page.entries) {
        if (now() - startedAtMs > MAX_JOB_DURATION_MS) return scheduleDeletion({ tenantId, id });
        const count = countErasureWrite(to, id, { [kind]: 1 });
        await moves[kind]?.({ from, to, count }, item).catch((error) => {
          // Deleted or moved concurrently, so it is not counted.
          if (!(error instanceof ServiceError && error.code === "not_found")) throw error;
        });
      }
      cursor = page.next ?? null;
    }
  }
  await completeDeletion(to, id);
}
