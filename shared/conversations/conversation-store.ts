import * as v from "valibot";
import { Conversation } from "../api/conversations/conversations.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import {
  allOf,
  type Changes,
  differs,
  equals,
  hasAttribute,
  type Item,
  ignoreConditionFailed,
  notDeleted,
  type Write,
} from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp, uniqueTimestamp } from "../lib/clock.ts";
import { notFound, requireFound, ServiceError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { retry } from "../lib/retry.ts";
import { addToFolderWrites, changeFolderWrites, leaveFolderWrites } from "./folders/folder-entry-writes.ts";
import { TEMPORARY_DAYS, toExpirySeconds } from "./retention.ts";

const StoredConversation = v.object({
  ...v.omit(Conversation, ["access"]).entries,
  retention_days: v.optional(v.number()),
});
/** Conversation without `access`, which depends on the user who reads it. */
export type StoredConversation = v.InferOutput<typeof StoredConversation>;

type ConversationChanges = Partial<
  Pick<Conversation, "title" | "tier" | "folder_id" | "persona_id" | "pinned" | "active_message_id">
>;

/** Changes by the owner, who can also keep a temporary conversation. */
type OwnerChanges = ConversationChanges & { readonly temporary?: false | undefined };

export const readConversation = itemReader(StoredConversation);

/**
 * Returns a new conversation that is not stored yet. If its title is null, one is generated from the first question and
 * answer.
 */
export function newConversation(
  ownerId: string,
  {
    title,
    temporary = false,
    ...fields
  }: Pick<Conversation, "tier" | "folder_id" | "persona_id" | "temporary"> & { readonly title: string | null },
): StoredConversation {
  const at = timestamp();
  return {
    id: newId(),
    title: title ?? "New conversation",
    ...(title === null && { title_origin: "none" as const }),
    ...fields,
    ...(temporary && { temporary, retention_days: TEMPORARY_DAYS }),
    owner_id: ownerId,
    pinned: false,
    message_count: 0,
    created_at: at,
    updated_at: at,
    last_activity_at: uniqueTimestamp(),
  };
}

/**
 * Returns the writes that store a new conversation and add it to its folder, if any. They fail with `not_found` if the
 * folder does not belong to the owner.
 */
export function newConversationWrites(scope: TenantScope, conversation: StoredConversation): Write[] {
  const { id, owner_id, folder_id, last_activity_at, retention_days } = conversation;
  const ttl = toExpirySeconds(last_activity_at, retention_days);
  return [
    {
      put: {
        ...keys.conversation(scope.tenantId, id),
        ...indexKeys.conversationByActivity(scope.tenantId, owner_id, last_activity_at),
        discriminator: "conversation",
        timestamp: now(),
        ...conversation,
        ...(ttl !== undefined && { ttl }),
      },
    },
    ...addToFolderWrites(toOwnerScope(scope, conversation), id, folder_id),
  ];
}

const toOwnerScope = ({ tenantId }: TenantScope, { owner_id }: StoredConversation) => ({ tenantId, userId: owner_id });

/** Returns a conversation, or undefined if it does not exist or is marked as deleted. */
export async function findConversation(scope: TenantScope, id: string): Promise<StoredConversation | undefined> {
  const item = await tenantTable(scope).get(keys.conversation(scope.tenantId, id), { consistent: true });
  return item && !item.deleted ? readConversation(item) : undefined;
}

/** @throws ServiceError `not_found` */
export async function getConversation(scope: TenantScope, id: string): Promise<StoredConversation> {
  return requireFound(await findConversation(scope, id));
}

/** Maximum number of attempts if a conversation is moved to other folders concurrently. */
const MAX_ATTEMPTS = 5;

/** The conversation was moved to another folder after it was read. */
class MovedError extends ServiceError {
  constructor() {
    super("conflict", "The conversation was moved concurrently; reload and retry.");
  }
}

/**
 * Updates a conversation, and its entries in the old and the new folder, in one transaction.
 * @param toFolderWrites returns the writes for the folders, and others to include in the transaction
 */
async function updateWithFolders(
  scope: TenantScope,
  id: string,
  changes: Changes,
  toFolderWrites: (before: StoredConversation) => readonly Write[],
): Promise<void> {
  const update = async () => {
    const before = await getConversation(scope, id);
    await tenantTable(scope).transact([
      {
        update: keys.conversation(scope.tenantId, id),
        ...changes,
        condition: allOf([notDeleted(), equals({ folder_id: before.folder_id })], (existing) =>
          existing && !existing.deleted ? new MovedError() : notFound(),
        ),
      },
      ...toFolderWrites(before),
    ]);
  };
  await retry(update, { maxAttempts: MAX_ATTEMPTS, isRetryable: (error) => error instanceof MovedError });
}

/**
 * @throws ServiceError `not_found` if the conversation or the folder does not exist or the folder belongs to another
 * user; `conflict` if a temporary conversation is moved to a folder
 */
export async function updateConversation(
  scope: TenantScope,
  id: string,
  { temporary, ...changes }: OwnerChanges,
): Promise<StoredConversation> {
  const set = { ...changes, updated_at: timestamp(), timestamp: now() };
  const remove = [
    // A person's title is never replaced.
    ...(changes.title === undefined ? [] : ["title_origin"]),
    ...(temporary === false ? ["temporary", "retention_days", "ttl"] : []),
  ];
  const { folder_id } = changes;
  if (folder_id === undefined) {
    const write = { update: keys.conversation(scope.tenantId, id), set, remove, condition: notDeleted(notFound) };
    return readConversation((await tenantTable(scope).write(write)) as Item);
  }
  await updateWithFolders(scope, id, { set, remove }, (before) => {
    if (before.temporary && temporary !== false && folder_id)
      throw new ServiceError("conflict", "A temporary conversation is in no folder.");
    return changeFolderWrites(toOwnerScope(scope, before), id, before.folder_id, folder_id);
  });
  return getConversation(scope, id);
}

/** Sets a generated title, unless a user has set one or the conversation was deleted. */
export async function setGeneratedTitle(scope: TenantScope, id: string, title: string): Promise<void> {
  await tenantTable(scope)
    .write({
      update: keys.conversation(scope.tenantId, id),
      set: { title, title_origin: "generated", updated_at: timestamp(), timestamp: now() },
      condition: allOf([notDeleted(), hasAttribute("title_origin")]),
    })
    .catch(ignoreConditionFailed);
}

/**
 * Marks a conversation as deleted, so that it becomes invisible immediately. The rule `purge-conversation` purges its
 * contents afterwards.
 * @param additionalWrites writes to include in the transaction
 * @throws ServiceError `not_found`
 */
export async function deleteConversation(
  scope: TenantScope,
  id: string,
  additionalWrites: readonly Write[] = [],
): Promise<void> {
  const changes = { set: { deleted: true, timestamp: now() }, remove: ["gsi1pk", "gsi1sk"] };
  await updateWithFolders(scope, id, changes, (before) => [
    ...leaveFolderWrites(toOwnerScope(scope, before), id, before.folder_id),
    ...additionalWrites,
  ]);
}

/**
 * Adds to the number of messages and moves the conversation to the top of the list.
 * @throws ServiceError `not_found` if the conversation was deleted
 */
export async function touchConversation(
  scope: TenantScope,
  conversation: StoredConversation,
  addedMessages: number,
  changes: ConversationChanges & Pick<Conversation, "has_branches"> = {},
): Promise<void> {
  const write = touchConversationWrite(scope, conversation, addedMessages, changes);
  const { last_activity_at } = write.set;
  try {
    await tenantTable(scope).write({
      ...write,
      // A retry after a lost response must not count the messages twice. Activity timestamps are unique.
      condition: allOf([notDeleted(), differs({ last_activity_at })], notFound),
    });
  } catch (error) {
    // The write may have succeeded although its response was lost.
    const stored = await findConversation(scope, conversation.id);
    if (stored?.last_activity_at !== last_activity_at) throw error;
  }
}

/** Returns the write of `touchConversation`, for a transaction with the messages. */
export function touchConversationWrite(
  scope: TenantScope,
  conversation: StoredConversation,
  addedMessages: number,
  changes: ConversationChanges & Pick<Conversation, "has_branches"> = {},
) {
  const at = uniqueTimestamp();
  return {
    update: keys.conversation(scope.tenantId, conversation.id),
    set: {
      ...changes,
      ...indexKeys.conversationByActivity(scope.tenantId, conversation.owner_id, at),
      last_activity_at: at,
      ttl: toExpirySeconds(at, conversation.retention_days),
      timestamp: now(),
    },
    add: { message_count: addedMessages },
    condition: notDeleted(notFound),
  };
}
