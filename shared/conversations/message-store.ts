import type { Message, Revision } from "../api/conversations/messages.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listPage, type Page, type PageRequest, parseCursor, toCursor } from "../dynamodb/pagination.ts";
import { ConditionFailed, type Item, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, uniqueTimestamp } from "../lib/clock.ts";
import { changedConcurrently, notFound } from "../lib/errors.ts";

/** What a message's item holds beside the message. */
interface MessageExtras {
  /** On a person's message: the answer it set going. */
  readonly reply_id?: string;
  /** On a person's message: a check did not let it through as it is, so it is checked whenever a model is told of it. */
  readonly flagged?: boolean;
  /** On an answer: the message it answers, who asked, and whom as. */
  readonly question_id?: string;
  readonly asked_by?: string;
  readonly persona_id?: string | null;
}

/** A message as it is kept. */
export type StoredMessage = Message & MessageExtras;

const messageOf = (item: Item) => item as unknown as StoredMessage;

const prefix = "message#";

function itemOf(scope: TenantScope, message: StoredMessage): Item {
  return {
    ...keys.message(scope.tenantId, message.conversation_id, message.message_id),
    ...(message.parent_id !== null && indexKeys.replies(scope.tenantId, message.parent_id, message.message_id)),
    discriminator: "message",
    timestamp: now(),
    ...message,
  };
}

/** The write that adds a message which must be new. */
export function newMessageWrite(scope: TenantScope, message: StoredMessage) {
  return { put: itemOf(scope, message), condition: { where: "attribute_not_exists(#pk)" } } satisfies Write;
}

/** The write that notes on a question that another answer to it is under way. */
export function answeredAgainWrite(scope: TenantScope, question: StoredMessage, replyId: string): Write {
  return {
    update: keys.message(scope.tenantId, question.conversation_id, question.message_id),
    set: { reply_id: replyId },
    condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
  };
}

/**
 * Adds a message unless it is there already.
 * @returns the message that is there afterwards: a message is written once, whoever comes first
 */
export async function addMessage(scope: TenantScope, message: StoredMessage): Promise<StoredMessage> {
  try {
    await tenantTable(scope).write(newMessageWrite(scope, message));
    return message;
  } catch (error) {
    if (error instanceof ConditionFailed && error.item) return messageOf(error.item);
    throw error;
  }
}

/** One message, or undefined. */
export async function findMessage(
  scope: TenantScope,
  conversationId: string,
  messageId: string,
): Promise<StoredMessage | undefined> {
  const item = await tenantTable(scope).get(keys.message(scope.tenantId, conversationId, messageId), {
    consistent: true,
  });
  return item && messageOf(item);
}

/**
 * Messages of a conversation in the order asked for.
 * @throws ServiceError `invalid_cursor`
 */
export async function listMessages(
  scope: TenantScope,
  conversationId: string,
  { order, ...request }: PageRequest & { order: "asc" | "desc" },
): Promise<Page<StoredMessage>> {
  const { pk } = keys.message(scope.tenantId, conversationId, "");
  const list = { list: "messages", filters: { conversationId, order }, pk, prefix, consistent: true };
  const { entries, next } = await listPage(scope, { ...list, descending: order === "desc" }, request);
  return { entries: entries.map(messageOf), next };
}

/** The newest messages before another one, oldest of them first; what a turn reads does not grow with the conversation. */
export async function messagesBefore(
  scope: TenantScope,
  { conversation_id, message_id }: StoredMessage,
  limit: number,
): Promise<StoredMessage[]> {
  const { pk, sk: after } = keys.message(scope.tenantId, conversation_id, message_id);
  // Whoever asks as soon as an answer ends means that answer, too.
  const items = await tenantTable(scope).query({ pk, prefix, after, limit, descending: true, consistent: true });
  return items.map(messageOf).reverse();
}

/** @throws ServiceError `not_found` */
export async function getMessage(
  scope: TenantScope,
  conversationId: string,
  messageId: string,
): Promise<StoredMessage> {
  const message = await findMessage(scope, conversationId, messageId);
  if (!message) throw notFound();
  return message;
}

/**
 * Replaces what a message says and keeps what it said before.
 * @throws ServiceError `not_found` when it is gone, `conflict` when it was changed since it was read
 */
export async function editMessage(
  scope: TenantScope,
  message: StoredMessage,
  content: Message["content"],
  editor: string,
): Promise<StoredMessage> {
  const { conversation_id, message_id, edited_at } = message;
  const at = uniqueTimestamp();
  const revision: Revision = { content: message.content, replaced_at: at, replaced_by: editor };
  await tenantTable(scope).transact([
    {
      update: keys.message(scope.tenantId, conversation_id, message_id),
      set: { content, edited_at: at, timestamp: now() },
      condition: {
        where: "#edited_at = :before",
        values: { before: edited_at },
        onConditionFailed: (found) => (found ? changedConcurrently("The message") : notFound()),
      },
    },
    {
      put: {
        ...keys.revision(scope.tenantId, conversation_id, message_id, at),
        discriminator: "revision",
        timestamp: now(),
        ...revision,
      },
    },
  ]);
  return { ...message, content, edited_at: at };
}

/** Notes that a check did not let a message through as it is; of one that is gone there is nothing to note. */
export async function flagMessage(scope: TenantScope, { conversation_id, message_id }: StoredMessage): Promise<void> {
  try {
    await tenantTable(scope).write({
      update: keys.message(scope.tenantId, conversation_id, message_id),
      set: { flagged: true },
      condition: { where: "attribute_exists(#pk)" },
    });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/**
 * Deletes a message with its revisions and, where it is an answer, the run it came from.
 * @throws ServiceError `not_found`
 */
export async function deleteMessage(scope: TenantScope, message: StoredMessage): Promise<void> {
  const { conversation_id, message_id } = message;
  await tenantTable(scope).transact([
    {
      delete: keys.message(scope.tenantId, conversation_id, message_id),
      condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
    },
    {
      update: keys.conversation(scope.tenantId, conversation_id),
      add: { message_count: -1 },
      // One whose time is over may be gone before its messages are, and must not come back as a mere count.
      condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
    },
  ]);
  const { pk, sk: prefix } = keys.revision(scope.tenantId, conversation_id, message_id, "");
  const rest = await Promise.all([
    tenantTable(scope).query({ pk, prefix }),
    tenantTable(scope).query({ pk: keys.run(scope.tenantId, message_id).pk }),
  ]);
  await tenantTable(scope).deleteMany(rest.flat());
}

/**
 * Replies to a message, oldest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listReplies(
  scope: TenantScope,
  parentId: string,
  request: PageRequest,
): Promise<Page<StoredMessage>> {
  const { gsi1pk: pk } = indexKeys.replies(scope.tenantId, parentId, "");
  const list = { list: "replies", filters: { parentId }, index: "gsi1", pk } as const;
  const { entries, next } = await listPage(scope, list, request);
  return { entries: entries.map(messageOf), next };
}

/**
 * What a message said before, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listRevisions(
  scope: TenantScope,
  { conversation_id, message_id }: StoredMessage,
  request: PageRequest,
): Promise<Page<Revision>> {
  const { pk, sk: revisions } = keys.revision(scope.tenantId, conversation_id, message_id, "");
  const list = { list: "revisions", filters: { message_id }, pk, prefix: revisions, descending: true };
  const { entries, next } = await listPage(scope, list, request);
  return { entries: entries as unknown as Revision[], next };
}

/** Messages of a page of a shared conversation, and how much their texts may weigh, in bytes: an answer has its limits. */
const mostShown = 200;
const heaviest = 2_000_000;

/**
 * A page of what a conversation held at a certain time, oldest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function messagesUntil(
  scope: TenantScope,
  conversationId: string,
  until: string,
  cursor?: string,
): Promise<Page<StoredMessage>> {
  const { pk } = keys.message(scope.tenantId, conversationId, "");
  const list = { list: "messages-until", filters: { conversationId, until }, prefix };
  const after = parseCursor(scope, list, cursor);
  const items = await tenantTable(scope).query({ pk, prefix, after, limit: mostShown + 1, consistent: true });
  const messages = items.map(messageOf).filter(({ created_at }) => created_at <= until);
  let weight = 0;
  const tooMuch = messages.findIndex(({ content }, index) => {
    weight += Buffer.byteLength(JSON.stringify(content));
    return index === mostShown || (index > 0 && weight > heaviest);
  });
  const entries = tooMuch === -1 ? messages : messages.slice(0, tooMuch);
  const last = entries.at(-1);
  return { entries, next: tooMuch === -1 || !last ? null : toCursor(scope, list, `${prefix}${last.message_id}`) };
}
