import { keys } from "../dynamodb/keys.ts";
import { absent, equals, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter } from "../lib/clock.ts";

/**
 * Time for which the conversation of a thread is stored. Later, the next message of the thread starts a new
 * conversation.
 */
const RETENTION_SECONDS = 365 * 24 * 3_600;

interface Thread {
  readonly workspace_id: string;
  readonly channel: string;
  readonly thread_id: string;
}

const keyOf = ({ tenantId }: TenantScope, { workspace_id, channel, thread_id }: Thread) =>
  keys.messengerThread(tenantId, workspace_id, `${channel}#${thread_id}`);

/** Returns the id of the conversation of a thread, or undefined. */
export async function findThreadConversation(scope: TenantScope, thread: Thread): Promise<string | undefined> {
  return (await findThread(scope, thread))?.conversation_id;
}

/**
 * Returns the conversation of a thread, and the message of the alert that started the thread, or null; undefined for an
 * unknown thread.
 */
export async function findThread(
  scope: TenantScope,
  thread: Thread,
): Promise<{ readonly conversation_id: string; readonly alertMessageId: string | null } | undefined> {
  const item = await tenantTable(scope).get(keyOf(scope, thread), { consistent: true });
  if (!item) return undefined;
  return {
    conversation_id: String(item.conversation_id),
    alertMessageId: typeof item.alert_id === "string" ? item.alert_id : null,
  };
}

/**
 * Returns the write that sets the conversation of a thread. Fails if another function has set it.
 * @param previous conversation to replace; undefined if the thread has none
 * @param alertMessageId message of the alert that starts the thread
 */
export const threadWrite = (
  scope: TenantScope,
  thread: Thread,
  conversation_id: string,
  previous: string | undefined,
  alertMessageId?: string,
): Write => ({
  put: {
    ...keyOf(scope, thread),
    discriminator: "messenger-thread",
    ttl: expiresAfter(RETENTION_SECONDS),
    conversation_id,
    ...(alertMessageId !== undefined && { alert_id: alertMessageId }),
  },
  condition: previous === undefined ? absent() : equals({ conversation_id: previous }),
});
