import type { Conversation } from "../api/conversations/conversations.ts";
import { type BranchMessage, BranchReader } from "../client/branch.ts";
import type { Page } from "../dynamodb/pagination.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import type { StoredConversation } from "./conversation-store.ts";
import { listMessages, listMessagesUntil, type StoredMessage } from "./message-store.ts";
import { listSummaries, type StoredSummary } from "./summary-store.ts";

const READ_MESSAGES = 200;

/** Maximum number of messages, from the newest on, that are assigned to branches. Older ones are always shown. */
const MAX_READ_MESSAGES = 5_000;

/**
 * Maximum number of conversations whose hidden messages this process caches for a minute, so that a client that lists
 * all pages causes one computation.
 */
const MAX_REMEMBERED = 50;
const REMEMBERED_MS = 60_000;
const remembered = new Map<string, { readonly expiresAt: number; readonly hidden: Promise<ReadonlySet<string>> }>();

/** Returns the ids of messages that are not on the active branch, and of replies in their threads. */
async function findHiddenMessages(
  scope: TenantScope,
  { id, active_message_id }: StoredConversation,
  until: string,
): Promise<ReadonlySet<string>> {
  const reader = new BranchReader(active_message_id ? { after_id: active_message_id } : {});
  const hidden = new Set<string>();
  const replies: StoredMessage[] = [];
  let cursor: string | undefined;
  for (let readCount = 0; readCount < MAX_READ_MESSAGES; readCount += READ_MESSAGES) {
    const { entries, next } = await listMessages(scope, id, { order: "desc", limit: READ_MESSAGES, cursor });
    for (const message of entries.filter(({ created_at }) => created_at <= until)) {
      if (message.parent_id !== null) replies.push(message);
      else if (!reader.accepts(message as BranchMessage)) hidden.add(message.message_id);
    }
    if (next === null) break;
    cursor = next;
  }
  return new Set([
    ...hidden,
    ...replies.flatMap(({ message_id, parent_id }) => (hidden.has(parent_id ?? "") ? [message_id] : [])),
  ]);
}

/** Like `findHiddenMessages`, but cached for a minute per branch and time of the last activity in the conversation. */
function getHiddenMessages(
  scope: TenantScope,
  conversation: StoredConversation,
  until: string,
): Promise<ReadonlySet<string>> {
  const { id, active_message_id, last_activity_at } = conversation;
  const key = [scope.tenantId, id, active_message_id, last_activity_at, until].join("#");
  const known = remembered.get(key);
  if (known && known.expiresAt > now()) return known.hidden;
  const hidden = findHiddenMessages(scope, conversation, until);
  hidden.catch(() => remembered.delete(key));
  remembered.delete(key);
  remembered.set(key, { expiresAt: now() + REMEMBERED_MS, hidden });
  const [oldest] = remembered.keys();
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  return hidden;
}

/** Later than every time. */
const ALL_TIMES = "9999";

/**
 * Returns the ids of messages that a reader of a conversation does not see: for access `READ`, those that are not on the
 * active branch; otherwise none.
 */
export async function findHiddenFromReader(
  scope: TenantScope,
  conversation: Conversation,
): Promise<ReadonlySet<string>> {
  const isLimited = conversation.access === "READ" && conversation.has_branches;
  return isLimited ? getHiddenMessages(scope, conversation, ALL_TIMES) : new Set();
}

/**
 * Returns the summary of the active branch that covers the most messages, or null.
 * @param until creation time after which summaries are ignored
 */
export async function findVisibleSummary(
  scope: TenantScope,
  conversation: StoredConversation,
  until: string,
): Promise<StoredSummary | null> {
  const summaries = await listSummaries(scope, conversation.id);
  const existing = summaries.filter(({ created_at }) => created_at <= until);
  if (existing.length === 0 || !conversation.has_branches) return existing[0] ?? null;
  const hidden = await getHiddenMessages(scope, conversation, until);
  return existing.find(({ until_id }) => !hidden.has(until_id)) ?? null;
}

/**
 * Lists the messages of the active branch that were created until a time, oldest first. A page can have few or no
 * messages although others follow.
 * @throws ServiceError `invalid_cursor`
 */
export async function listBranchUntil(
  scope: TenantScope,
  conversation: StoredConversation,
  until: string,
  cursor?: string,
): Promise<Page<StoredMessage>> {
  const [page, hidden] = await Promise.all([
    listMessagesUntil(scope, conversation.id, until, cursor),
    conversation.has_branches ? getHiddenMessages(scope, conversation, until) : null,
  ]);
  return hidden ? { ...page, entries: page.entries.filter(({ message_id }) => !hidden.has(message_id)) } : page;
}
