import * as v from "valibot";
import type { Block } from "../api/blocks.ts";
import { Message } from "../api/conversations/messages.ts";
import { answeredEvent } from "../api/messengers/event-ref.ts";
import { scheduledRun } from "../api/schedules/schedule-run-ref.ts";
import { itemReader, trusted } from "../dynamodb/item-reader.ts";
import { indexKeys, keyPrefixes, keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest, parseCursor, toCursor } from "../dynamodb/pagination.ts";
import { absent, ConditionFailed, exists, type Item, ignoreConditionFailed, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import type { Charges } from "../lib/charges.ts";
import { now } from "../lib/clock.ts";
import { notFound, requireFound } from "../lib/errors.ts";
import { listDependents } from "./message-dependents.ts";
import { deleteSummariesOf } from "./summary-store.ts";
import { visitorFields } from "./visitor-fields.ts";

/** Schema without the structure of contents, which was validated when they were written, because a prompt reads many messages. */
const StoredMessage = v.object({
  ...Message.entries,
  content: trusted<Block[]>(),
  usage: trusted<Message["usage"]>(),
  alert: trusted<Message["alert"]>(),
  /** User to whom the conversation was handed over, so that the search index moves the message. */
  handed_to: v.optional(v.string()),
  /** On a question: id of its latest answer, which may still be generated. */
  reply_id: v.optional(v.string()),
  /** On a question: true if a guardrail check rejected or changed it, so that each prompt that contains it checks it again. */
  flagged: v.optional(v.boolean()),
  /** On an answer: id of the user who asked. */
  asked_by: v.optional(v.string()),
  /** On an answer to a visitor of a widget: id of the embed key. */
  key_id: v.optional(v.string()),
  /** On an answer: milliseconds during which functions worked on it, without pauses. */
  duration_ms: v.optional(v.number()),
  /**
   * On an answer: origins of untrusted text that the model had read, for this answer or for earlier ones in its prompt.
   * Absent in answers that the reaper stored.
   */
  read_origins: v.optional(v.array(v.string())),
  /**
   * On an answer: tokens of its prompt as the provider counted them, divided by their upper bound. Absent if several
   * calls were made, or the provider did not count.
   */
  token_ratio: v.optional(v.number()),
  /** On an answer: last message of the summary in its prompt; absent if it had none. */
  summary_until_id: v.optional(v.string()),
  ...visitorFields,
  /** On a failed answer: true if the provider refused the question, so that later prompts leave it out. */
  is_refused: v.optional(v.boolean()),
  /** On an answer: id of the persona that answered. */
  persona_id: v.nullish(v.string()),
  /** On an answer: event of a messenger that it answers. */
  ...answeredEvent,
  ...scheduledRun,
  /** On an answer: budget counters that are charged for it. */
  charges: v.optional(trusted<Charges>()),
});
/** Message with the attributes that clients do not receive. */
export type StoredMessage = v.InferOutput<typeof StoredMessage>;

export const readMessage = itemReader(StoredMessage);

const prefix = keyPrefixes.message;

function toItem(scope: TenantScope, message: StoredMessage): Item {
  return {
    ...keys.message(scope.tenantId, message.conversation_id, message.message_id),
    ...(message.parent_id !== null && indexKeys.replies(scope.tenantId, message.parent_id, message.message_id)),
    discriminator: "message",
    timestamp: now(),
    ...message,
  };
}

/** Returns the write that adds a message. It fails if a message with this id exists. */
export function newMessageWrite(scope: TenantScope, message: StoredMessage) {
  return { put: toItem(scope, message), condition: absent() } satisfies Write;
}

/** Marks a message of a conversation that was handed over, so that the search index moves it. */
export async function markHandedOver(
  scope: TenantScope,
  { conversation_id, message_id }: Pick<StoredMessage, "conversation_id" | "message_id">,
  userId: string,
): Promise<void> {
  const update = { update: keys.message(scope.tenantId, conversation_id, message_id), set: { handed_to: userId } };
  await tenantTable(scope)
    .write({ ...update, condition: exists() })
    .catch(ignoreConditionFailed);
}

/** Returns the write that sets the latest answer of a question. Fails with `not_found` if the question was deleted. */
export function setReplyWrite(scope: TenantScope, question: StoredMessage, replyId: string): Write {
  return {
    update: keys.message(scope.tenantId, question.conversation_id, question.message_id),
    set: { reply_id: replyId },
    condition: exists(notFound),
  };
}

/** Adds a message unless one with its id exists. @returns the message that is stored now: the given one, or the one that was written before */
export async function addMessage(scope: TenantScope, message: StoredMessage): Promise<StoredMessage> {
  try {
    await tenantTable(scope).write(newMessageWrite(scope, message));
    return message;
  } catch (error) {
    if (error instanceof ConditionFailed && error.item) return readMessage(error.item);
    throw error;
  }
}

export async function findMessage(
  scope: TenantScope,
  conversationId: string,
  messageId: string,
): Promise<StoredMessage | undefined> {
  const item = await tenantTable(scope).get(keys.message(scope.tenantId, conversationId, messageId), {
    consistent: true,
  });
  return item && readMessage(item);
}

/** Lists the messages of a conversation in the given order. @throws ServiceError `invalid_cursor` */
export async function listMessages(
  scope: TenantScope,
  conversationId: string,
  { order, ...request }: PageRequest & { order: "asc" | "desc" },
): Promise<Page<StoredMessage>> {
  const { pk } = keys.message(scope.tenantId, conversationId, "");
  const list = { list: "messages", filters: { conversationId, order }, pk, prefix, consistent: true };
  return mapPage(await listPage(scope, { ...list, descending: order === "desc" }, request), readMessage);
}

/** Returns the messages after another one, or the latest ones without it; oldest first, at most `limit`. */
export async function listMessagesAfter(
  scope: TenantScope,
  conversationId: string,
  messageId: string | undefined,
  limit: number,
): Promise<StoredMessage[]> {
  const { pk, sk: after } = keys.message(scope.tenantId, conversationId, messageId ?? "");
  const range = messageId === undefined ? { descending: true } : { after };
  const messages = (await tenantTable(scope).query({ pk, prefix, limit, consistent: true, ...range })).map(readMessage);
  return messageId === undefined ? messages.reverse() : messages;
}

/** Returns the last `limit` messages before another one, oldest first, with replies in threads; the cost is bounded. */
export async function listMessagesBefore(
  scope: TenantScope,
  { conversation_id, message_id }: StoredMessage,
  limit: number,
): Promise<StoredMessage[]> {
  const { pk, sk: after } = keys.message(scope.tenantId, conversation_id, message_id);
  // Consistent, so that a question that follows an answer immediately has that answer in its history.
  const items = await tenantTable(scope).query({ pk, prefix, after, limit, descending: true, consistent: true });
  return items.map(readMessage).reverse();
}

/** @throws ServiceError `not_found` */
export async function getMessage(
  scope: TenantScope,
  conversationId: string,
  messageId: string,
): Promise<StoredMessage> {
  return requireFound(await findMessage(scope, conversationId, messageId));
}

/** Marks a question that a guardrail check rejected or changed. Does nothing if the message was deleted. */
export async function flagMessage(scope: TenantScope, { conversation_id, message_id }: StoredMessage): Promise<void> {
  await tenantTable(scope)
    .write({
      update: keys.message(scope.tenantId, conversation_id, message_id),
      set: { flagged: true },
      condition: exists(),
    })
    .catch(ignoreConditionFailed);
}

/** Deletes a message with its revisions, the summaries and test items that contain it and, if it is an answer, its run. @throws ServiceError `not_found` */
export async function deleteMessage(scope: TenantScope, message: StoredMessage): Promise<void> {
  const { conversation_id, message_id } = message;
  await tenantTable(scope).transact([
    {
      delete: keys.message(scope.tenantId, conversation_id, message_id),
      condition: exists(notFound),
    },
    {
      update: keys.conversation(scope.tenantId, conversation_id),
      add: { message_count: -1 },
      // A conversation may expire before its messages. An unconditional update would recreate it with nothing but the
      // counter.
      condition: exists(notFound),
    },
  ]);
  await tenantTable(scope).deleteMany(await listDependents(scope, conversation_id, message_id));
  await deleteSummariesOf(scope, conversation_id, message_id);
}

/** Lists the replies to a message, oldest first. @throws ServiceError `invalid_cursor` */
export async function listReplies(
  scope: TenantScope,
  parentId: string,
  request: PageRequest,
): Promise<Page<StoredMessage>> {
  const { gsi1pk: pk } = indexKeys.replies(scope.tenantId, parentId, "");
  const list = { list: "replies", filters: { parentId }, index: "gsi1", pk } as const;
  return mapPage(await listPage(scope, list, request), readMessage);
}

/** Returns the newest replies to a message, newest first. The index is eventually consistent, so the latest ones may be missing. */
export async function listLatestReplies(scope: TenantScope, parentId: string, limit: number): Promise<StoredMessage[]> {
  const { gsi1pk: pk } = indexKeys.replies(scope.tenantId, parentId, "");
  const items = await tenantTable(scope).query({ index: "gsi1", pk, limit, descending: true });
  return items.map(readMessage);
}

/** Maximum messages and bytes of a page of a shared conversation. A Lambda response is limited to 6 MB. */
const MAX_SHARED_PAGE_MESSAGES = 200;
const MAX_SHARED_PAGE_BYTES = 2_000_000;

/** Lists the messages that were created until a time, oldest first. @throws ServiceError `invalid_cursor` */
export async function listMessagesUntil(
  scope: TenantScope,
  conversationId: string,
  until: string,
  cursor?: string,
): Promise<Page<StoredMessage>> {
  const { pk } = keys.message(scope.tenantId, conversationId, "");
  const list = { list: "messages-until", filters: { conversationId, until }, prefix };
  const after = parseCursor(scope, list, cursor);
  const limit = MAX_SHARED_PAGE_MESSAGES + 1;
  const items = await tenantTable(scope).query({ pk, prefix, after, limit, consistent: true });
  const messages = items.map(readMessage).filter(({ created_at }) => created_at <= until);
  let bytes = 0;
  const firstExcess = messages.findIndex(({ content }, index) => {
    bytes += Buffer.byteLength(JSON.stringify(content));
    return index === MAX_SHARED_PAGE_MESSAGES || (index > 0 && bytes > MAX_SHARED_PAGE_BYTES);
  });
  const entries = firstExcess === -1 ? messages : messages.slice(0, firstExcess);
  const last = entries.at(-1);
  if (firstExcess === -1 || !last) return { entries, next: null };
  const position = keys.message(scope.tenantId, conversationId, last.message_id).sk;
  return { entries, next: toCursor(scope, list, position) };
}
