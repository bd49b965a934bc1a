import { itemAccess } from "../dynamodb/access.ts";
import { keys } from "../dynamodb/keys.ts";
import type { Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter } from "../lib/clock.ts";

export const messengerThreadAccess = itemAccess("messengerThread", "get", "put");

/** Time after which a thread without a conversation of its own starts another one. */
const RETENTION_SECONDS = 365 * 24 * 3_600;

export interface Thread {
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

/** Finds the conversation of a messenger's thread, and the alert that the thread is about; null for other threads. */
export async function findThread(
  scope: TenantScope,
  thread: Thread,
): Promise<{ readonly conversation_id: string; readonly alert_id: string | null } | undefined> {
  const item = await tenantTable(scope).get(keyOf(scope, thread), { consistent: true });
  if (!item) return undefined;
  return {
    conversation_id: String(item.conversation_id),
    alert_id: typeof item.alert_id === "string" ? item.alert_id : null,
  };
}

/**
 * Returns the write that gives a thread its conversation.
 * @param previous conversation that was deleted; undefined for a thread without one
 * @param alert_id alert that starts the thread
 */
export const threadWrite = (
  scope: TenantScope,
  thread: Thread,
  conversation_id: string,
  previous: string | undefined,
  alert_id?: string,
): Write => ({
  put: {
    ...keyOf(scope, thread),
    discriminator: "slack-thread",
    ttl: expiresAfter(RETENTION_SECONDS),
    conversation_id,
    ...(alert_id !== undefined && { alert_id }),
  },
  condition:
    previous === undefined
      ? { where: "attribute_not_exists(#pk)" }
      : { where: "#conversation_id = :previous", values: { previous } },
});
