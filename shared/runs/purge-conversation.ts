import { conversationOf, type StoredConversation } from "../conversations/conversation-store.ts";
import { purgeFeedback } from "../conversations/feedback/feedback-store.ts";
import { expelWrites } from "../conversations/folders/folder-store.ts";
import { findMessage } from "../conversations/message-store.ts";
import { purgeShareLinks } from "../conversations/sharing/share-link-store.ts";
import { keys } from "../dynamodb/keys.ts";
import { type Item, type Key, TransactionFailed } from "../dynamodb/table.ts";
import { scopeFromKey, type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { writeControl } from "./run-store.ts";

/** Items read at once while a conversation is purged. */
const batch = 100;

const isId = (id: unknown): id is string => typeof id === "string";

/**
 * What there is of a run. One that is still being made is told to stop: it obeys within a second, and removes what it has
 * written by then itself.
 */
async function runItems(scope: TenantScope, conversationId: string, messageId: string): Promise<Key[]> {
  const { pk, sk } = keys.runControl(scope.tenantId, messageId);
  const items = await tenantTable(scope).query({ pk });
  const waits = items.some((item) => item.sk === sk && item.waits_until);
  if (items.length === 0 || waits || (await findMessage(scope, conversationId, messageId))) return items;
  await writeControl(scope, messageId, { stop: true });
  return items.filter((item) => item.sk !== sk);
}

/** A conversation that was not deleted but whose time was over is still counted in its folder. */
async function leaveFolder(scope: TenantScope, { id, owner_id, folder_id }: StoredConversation): Promise<void> {
  if (folder_id === null) return;
  try {
    await tenantTable(scope).transact(expelWrites({ ...scope, userId: owner_id }, id, folder_id));
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error;
  }
}

/**
 * Removes all that a deleted conversation has left: messages, their runs, at last itself. Interrupted at any point it
 * can be done again.
 * @param item the conversation's item: marked deleted, or as it was when its time was over
 */
export async function purgeConversation(item: Record<string, unknown>): Promise<void> {
  const pk = String(item.pk);
  const scope = scopeFromKey(pk);
  const table = tenantTable(scope);
  if (!item.deleted) await leaveFolder(scope, conversationOf(item as Item));
  for (;;) {
    const messages = await table.query({ pk, prefix: "message#", limit: batch });
    // An answer's id is its run's, which its question knows, too; a run without an answer is known to that only.
    const answers = messages.flatMap(({ role, message_id, reply_id }) =>
      role === "assistant" ? message_id : reply_id,
    );
    const ids = [...new Set(answers.filter(isId))];
    const runs = await Promise.all(ids.map((id) => runItems(scope, String(item.id), id)));
    await table.deleteMany([...runs.flat(), ...messages]);
    if (messages.length < batch) break;
  }
  await purgeFeedback(scope, String(item.id));
  await purgeShareLinks(scope, String(item.id));
  for (const prefix of ["revision#", "grant#"]) await table.deleteMany(await table.query({ pk, prefix }));
  await table.deleteMany([{ pk, sk: "embed-session" }]);
  await table.deleteMany([{ pk, sk: "conversation" }]);
}
