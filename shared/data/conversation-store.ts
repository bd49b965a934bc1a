import type { Conversation } from "../api/conversations.ts";
import { now, timestamp, uniqueTimestamp } from "../clock.ts";
import { notFound } from "../errors.ts";
import { newId } from "../ids.ts";
import { indexKeys, keys } from "./keys.ts";
import type { Changes, Item, Write } from "./table.ts";
import { type TenantScope, tableOf } from "./tenant-scope.ts";

/** A conversation as it is kept: `access` is not part of it, for it depends on the reader. */
export type StoredConversation = Omit<Conversation, "access">;

/** What its owner can change about a conversation. */
export type ConversationChanges = Partial<Pick<Conversation, "title" | "tier" | "folder_id" | "persona_id" | "pinned">>;

/** The conversation of an item. */
export const conversationOf = (item: Item) => item as unknown as StoredConversation;

/** A deleted conversation is kept until everything in it is gone, but nobody sees it. */
const alive = { where: "attribute_exists(#pk) AND attribute_not_exists(#deleted)", otherwise: notFound };

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

/** The write that stores a fresh conversation. */
export function conversationWrite(scope: TenantScope, conversation: StoredConversation): Write {
  return {
    put: {
      ...keys.conversation(scope.tenantId, conversation.id),
      ...indexKeys.conversationByActivity(scope.tenantId, conversation.owner_id, conversation.last_activity_at),
      discriminator: "conversation",
      timestamp: now(),
      ...conversation,
    },
  };
}

/** @throws ServiceError `not_found` */
export async function getConversation(scope: TenantScope, id: string): Promise<StoredConversation> {
  const item = await tableOf(scope).get(keys.conversation(scope.tenantId, id), { consistent: true });
  if (!item || item.deleted) throw notFound();
  return conversationOf(item);
}

async function change(scope: TenantScope, id: string, changes: Changes): Promise<StoredConversation> {
  const item = await tableOf(scope).write({
    update: keys.conversation(scope.tenantId, id),
    ...changes,
    condition: alive,
  });
  return conversationOf(item as Item);
}

/** @throws ServiceError `not_found` */
export function updateConversation(
  scope: TenantScope,
  id: string,
  changes: ConversationChanges,
): Promise<StoredConversation> {
  return change(scope, id, { set: { ...changes, updated_at: timestamp(), timestamp: now() } });
}

/**
 * Deletes a conversation: it is gone to every reader at once, the rest of it follows by the change feed.
 * @throws ServiceError `not_found`
 */
export async function deleteConversation(scope: TenantScope, id: string): Promise<void> {
  await change(scope, id, { set: { deleted: true, timestamp: now() }, remove: ["gsi1pk", "gsi1sk"] });
}

/** The write that moves a conversation to the top of the list when messages come in; part of the same transaction. */
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
      timestamp: now(),
    },
    add: { message_count: messages },
    condition: alive,
  };
}
