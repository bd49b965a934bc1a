import { readConversation, type StoredConversation } from "../conversations/conversation-store.ts";
import { purgeFeedback } from "../conversations/feedback/feedback-store.ts";
import { removeFromFolderWrites } from "../conversations/folders/folder-entry-writes.ts";
import { findMessage } from "../conversations/message-store.ts";
import { purgeShareLinks } from "../conversations/sharing/share-link-store.ts";
import { keyPrefixes, keys } from "../dynamodb/keys.ts";
import { type Item, ignoreConditionFailed, type Key } from "../dynamodb/table.ts";
import { SWEEP_BATCH_SIZE } from "../dynamodb/table-layout.ts";
import { scopeFromKey, type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { writeRunControl } from "./run-control-store.ts";

const isString = (value: unknown): value is string => typeof value === "string";

/**
 * Returns the keys of the items of a run to delete. A run that is still executing is asked to stop, and its control
 * item with that request is not deleted; the run then deletes what it has written.
 */
async function listRunKeys(scope: TenantScope, conversationId: string, messageId: string): Promise<Key[]> {
  const { pk, sk } = keys.runControl(scope.tenantId, messageId);
  const items = await tenantTable(scope).query({ pk });
  const isPaused = items.some((item) => item.sk === sk && item.waits_until);
  if (items.length === 0 || isPaused || (await findMessage(scope, conversationId, messageId))) return items;
  await writeRunControl(scope, messageId, { stop: true });
  return items.filter((item) => item.sk !== sk);
}

/** Removes an expired conversation from its folder. For a conversation that a user deletes, the deletion does so. */
async function removeFromFolder(scope: TenantScope, { id, owner_id, folder_id }: StoredConversation): Promise<void> {
  if (folder_id === null) return;
  await tenantTable(scope)
    .transact(removeFromFolderWrites({ ...scope, userId: owner_id }, id, folder_id))
    .catch(ignoreConditionFailed);
}

/**
 * Deletes all items of a deleted or expired conversation: messages, runs, feedback, links, grants and, last, the
 * conversation itself. Idempotent, so that an interrupted purge can be repeated.
 * @param item the conversation's item, marked as deleted, or its last state before it expired
 */
export async function purgeConversation(item: Record<string, unknown>): Promise<void> {
  const pk = String(item.pk);
  const conversationId = String(item.id);
  const scope = scopeFromKey(pk);
  const table = tenantTable(scope);
  if (!item.deleted) await removeFromFolder(scope, readConversation(item as Item));
  for (;;) {
    const messages = await table.query({ pk, prefix: keyPrefixes.message, limit: SWEEP_BATCH_SIZE });
    // A run has the id of its answer. If it has no answer yet, only its question refers to it.
    const runIds = messages.flatMap(({ role, message_id, reply_id }) => (role === "assistant" ? message_id : reply_id));
    const uniqueIds = [...new Set(runIds.filter(isString))];
    const runKeys = await Promise.all(uniqueIds.map((id) => listRunKeys(scope, conversationId, id)));
    await table.deleteMany([...runKeys.flat(), ...messages]);
    if (messages.length < SWEEP_BATCH_SIZE) break;
  }
  await purgeFeedback(scope, conversationId);
  await purgeShareLinks(scope, conversationId);
  for (const prefix of [
    keyPrefixes.attachment,
    keyPrefixes.revision,
    keyPrefixes.summary,
    keyPrefixes.toolCall,
    keyPrefixes.grant,
    keyPrefixes.testItem,
    keyPrefixes.testResult,
  ]) {
    await table.deleteMany(await table.query({ pk, prefix }));
  }
  await table.deleteMany([keys.embedSession(scope.tenantId, conversationId)]);
  // The conversation is deleted last, because a repeated purge starts from it.
  await table.deleteMany([keys.conversation(scope.tenantId, conversationId)]);
}
