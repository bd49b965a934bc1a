import type { Conversation } from "../api/conversations/conversations.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import type { Changes, Item, Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp, uniqueTimestamp } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { placementWrites } from "./folders/folder-store.ts";
import { endOf, type Retained } from "./retention.ts";

/** A conversation as it is kept: `access` is not part of it, for it depends on the reader. */
export type StoredConversation = Omit<Conversation, "access"> & Pick<Retained, "retention_days">;

/** What its owner can change about a conversation. */
export type ConversationChanges = Partial<Pick<Conversation, "title" | "tier" | "folder_id" | "persona_id" | "pinned">>;

/** The conversation of an item. */
export const conversationOf = (item: Item) => item as unknown as StoredConversation;

/** A deleted conversation is kept until everything in it is gone, but nobody sees it. */
const alive = { where: "attribute_exists(#pk) AND attribute_not_exists(#deleted)", onConditionFailed: notFound };

/** A fresh conversation of the user. */
export function newConversation(
  ownerId: string,
  fields: Pick<Conversation, "title" | "tier" | "folder_id" | "persona_id">,
): StoredConversation {
  const at = timestamp();
  return {
    id: newId(),
    ...fields,
    owner_id: ownerId,
    pinned: false,
    message_count: 0,
    created_at: at,
    updated_at: at,
    last_activity_at: uniqueTimestamp(),
  };
}

/**
 * The writes that store a fresh conversation, in its folder if it has one. A folder that is not its owner's is a
 * `not_found`.
 */
export function newConversationWrites(scope: TenantScope, conversation: StoredConversation): Write[] {
  const { id, owner_id, folder_id, last_activity_at } = conversation;
  return [
    {
      put: {
        ...keys.conversation(scope.tenantId, id),
        ...indexKeys.conversationByActivity(scope.tenantId, owner_id, last_activity_at),
        discriminator: "conversation",
        timestamp: now(),
        ...conversation,
      },
    },
    ...placementWrites(ownerOf(scope, conversation), id, null, folder_id),
  ];
}

const ownerOf = (scope: TenantScope, { owner_id }: StoredConversation) => ({
  tenantId: scope.tenantId,
  userId: owner_id,
});

/** A conversation, or undefined where there is none, or none any more. */
export async function findConversation(scope: TenantScope, id: string): Promise<StoredConversation | undefined> {
  const item = await tenantTable(scope).get(keys.conversation(scope.tenantId, id), { consistent: true });
  return item && !item.deleted ? conversationOf(item) : undefined;
}

/** @throws ServiceError `not_found` */
export async function getConversation(scope: TenantScope, id: string): Promise<StoredConversation> {
  const conversation = await findConversation(scope, id);
  if (!conversation) throw notFound();
  return conversation;
}

/** Tries of a change that lost against a move of the conversation to another folder. */
const attempts = 5;

/** The conversation is in another folder than it was. */
class Moved extends ServiceError {
  constructor() {
    super("conflict", "The conversation was moved concurrently; reload and retry.");
  }
}

/**
 * Changes a conversation, and with it what its folders know of it.
 * @param folderId where it is afterwards
 * @param also writes that belong in the same transaction
 */
async function change(
  scope: TenantScope,
  id: string,
  changes: Changes,
  folderId: string | null,
  also: readonly Write[] = [],
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const before = await getConversation(scope, id);
    const { folder_id } = before;
    try {
      await tenantTable(scope).transact([
        {
          update: keys.conversation(scope.tenantId, id),
          ...changes,
          condition: {
            where: `${alive.where} AND #folder_id = :folder_id`,
            values: { folder_id },
            onConditionFailed: (found) => (found && !found.deleted ? new Moved() : notFound()),
          },
        },
        ...placementWrites(ownerOf(scope, before), id, folder_id, folderId),
        ...also,
      ]);
      return;
    } catch (error) {
      if (!(error instanceof Moved) || attempt === attempts) throw error;
    }
  }
}

/** @throws ServiceError `not_found`, for a folder that is not the owner's, too */
export async function updateConversation(
  scope: TenantScope,
  id: string,
  changes: ConversationChanges,
): Promise<StoredConversation> {
  const set = { ...changes, updated_at: timestamp(), timestamp: now() };
  const { folder_id: to } = changes;
  if (to === undefined) {
    const update = keys.conversation(scope.tenantId, id);
    return conversationOf((await tenantTable(scope).write({ update, set, condition: alive })) as Item);
  }
  await change(scope, id, { set }, to);
  return getConversation(scope, id);
}

/**
 * Deletes a conversation: it is gone to every reader at once, the rest of it follows by the change feed.
 * @param also writes that belong in the same transaction
 * @throws ServiceError `not_found`
 */
export async function deleteConversation(scope: TenantScope, id: string, also: readonly Write[] = []): Promise<void> {
  await change(scope, id, { set: { deleted: true, timestamp: now() }, remove: ["gsi1pk", "gsi1sk"] }, null, also);
}

/**
 * Moves a conversation to the top of the list when messages have come in.
 * @throws ServiceError `not_found` when it is gone
 */
export async function noteActivity(
  scope: TenantScope,
  conversation: StoredConversation,
  messages: number,
  changes: ConversationChanges = {},
): Promise<void> {
  const write = activityWrite(scope, conversation, messages, changes);
  const { last_activity_at } = write.set;
  try {
    await tenantTable(scope).write({
      ...write,
      condition: {
        // A write whose answer was lost is tried again, and must not count twice: no two activities are of one moment.
        where: `${alive.where} AND #last_activity_at <> :moment`,
        values: { moment: last_activity_at },
        onConditionFailed: notFound,
      },
    });
  } catch (error) {
    // Its answer may have been lost, once or each time it was tried.
    const found = await findConversation(scope, conversation.id);
    if (found?.last_activity_at !== last_activity_at) throw error;
  }
}

/** The write that does so in one transaction with the messages. */
export function activityWrite(
  scope: TenantScope,
  conversation: StoredConversation,
  messages: number,
  changes: ConversationChanges = {},
) {
  const at = uniqueTimestamp();
  return {
    update: keys.conversation(scope.tenantId, conversation.id),
    set: {
      ...changes,
      ...indexKeys.conversationByActivity(scope.tenantId, conversation.owner_id, at),
      last_activity_at: at,
      ttl: endOf(at, conversation.retention_days),
      timestamp: now(),
    },
    add: { message_count: messages },
    condition: alive,
  };
}
