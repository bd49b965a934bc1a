import type { Conversation } from "../api/conversations.ts";
import { now, timestamp, uniqueTimestamp } from "../clock.ts";
import { notFound } from "../errors.ts";
import { newId } from "../ids.ts";
import { indexKeys, keys } from "./keys.ts";
import type { Page } from "./pages.ts";
import type { Changes, Item, Write } from "./table.ts";
import { type TenantScope, tableOf } from "./tenant-scope.ts";

/** A conversation as it is kept: `access` is not part of it, for it depends on the reader. */
export type StoredConversation = Omit<Conversation, "access">;

/** What its owner can change about a conversation. */
export type ConversationChanges = Partial<Pick<Conversation, "title" | "tier" | "folder_id" | "persona_id" | "pinned">>;

/** What a list can be narrowed to. */
export interface ConversationFilters {
  readonly folder_id?: string;
  readonly pinned?: boolean;
  /** Part of the title, in any case. */
  readonly q?: string;
}

const conversationOf = (item: Item) => item as unknown as StoredConversation;

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

/** Items read at once while a filtered list is filled. */
const filterBatch = 200;

/**
 * The user's conversations, newest activity first, beyond the activity `after`. A page never ends between two of the
 * same activity, so that the timestamp alone is a sound cursor.
 */
export async function listConversations(
  scope: TenantScope,
  ownerId: string,
  { limit, after, ...filters }: ConversationFilters & { limit: number; after?: string },
): Promise<Page<StoredConversation>> {
  const { gsi1pk } = indexKeys.conversationByActivity(scope.tenantId, ownerId, "");
  const filtered = Object.values(filters).some((value) => value !== undefined);
  const batch = filtered ? filterBatch : limit + 1;
  const found: StoredConversation[] = [];
  let position = after;
  for (;;) {
    const items = await tableOf(scope).query({
      index: "gsi1",
      pk: gsi1pk,
      after: position,
      limit: batch,
      descending: true,
    });
    const batchEntries = items.map(conversationOf);
    found.push(...batchEntries.filter((conversation) => matches(conversation, filters)));
    if (items.length < batch || found.length > limit) break;
    position = batchEntries.at(-1)?.last_activity_at;
  }
  const entries = withoutSplitTie(found, limit);
  return { entries, next: found.length > limit ? (entries.at(-1)?.last_activity_at ?? null) : null };
}

function matches(conversation: StoredConversation, { folder_id, pinned, q }: ConversationFilters): boolean {
  return (
    (folder_id === undefined || conversation.folder_id === folder_id) &&
    (pinned === undefined || conversation.pinned === pinned) &&
    (q === undefined || conversation.title.toLowerCase().includes(q.toLowerCase()))
  );
}

/** The first `limit` entries, less those at the end that share their activity with the one after them. */
function withoutSplitTie(found: readonly StoredConversation[], limit: number): readonly StoredConversation[] {
  const beyond = found[limit]?.last_activity_at;
  const page = found.slice(0, limit);
  const whole = page.filter((conversation) => conversation.last_activity_at !== beyond);
  return whole.length > 0 ? whole : page;
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
