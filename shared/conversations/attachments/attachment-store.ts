import * as v from "valibot";
import { Attachment, type attachmentFailures } from "../../api/conversations/attachments.ts";
import type { Message } from "../../api/conversations/messages.ts";
import type { MessageAttachment } from "../../api/message-attachment.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../../dynamodb/keys.ts";
import { deleteExistingItem } from "../../dynamodb/required-item.ts";
import { equals, exists, type Item, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp } from "../../lib/clock.ts";
import { notFound, ServiceError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { storageWrite } from "../../tenancy/storage-store.ts";

/** Time in seconds after which an attachment is deleted that was not sent with a message. */
const UNSENT_SECONDS = 86_400;

const StoredAttachment = v.object({
  ...Attachment.entries,
  author_id: v.string(),
  /** Number of attempts to process the file so far. */
  attempts: v.optional(v.number()),
  /** Positions in the stored text at which the pages start, from page 1; absent for files without pages. */
  page_starts: v.optional(v.array(v.number())),
});
export type StoredAttachment = v.InferOutput<typeof StoredAttachment>;

export type AttachmentFailure = keyof typeof attachmentFailures;

export type AttachmentRef = Pick<StoredAttachment, "conversation_id" | "id">;

const readAttachment = itemReader(StoredAttachment);

const keyOf = ({ tenantId }: TenantScope, { conversation_id, id }: AttachmentRef) =>
  keys.attachment(tenantId, conversation_id, id);

/**
 * Returns a new attachment that is not stored yet, with the status `pending` until its file is uploaded and processed.
 */
export function newAttachment(
  authorId: string,
  conversationId: string,
  file: Pick<StoredAttachment, "file_name" | "kind" | "media_type" | "size">,
): StoredAttachment {
  return {
    id: newId(),
    conversation_id: conversationId,
    ...file,
    message_id: null,
    status: "pending",
    failure: null,
    width: null,
    height: null,
    characters: null,
    author_id: authorId,
    created_at: timestamp(),
  };
}

/**
 * Returns the writes that store a new attachment, which expires unless it is sent with a message. Execute them in one
 * transaction. It throws ServiceError `storage_full` if the file exceeds the tenant's limit.
 */
export async function newAttachmentWrites(scope: TenantScope, attachment: StoredAttachment): Promise<Write[]> {
  const put: Write = {
    put: {
      ...keyOf(scope, attachment),
      discriminator: "attachment",
      timestamp: now(),
      ttl: expiresAfter(UNSENT_SECONDS),
      ...attachment,
    },
  };
  return [put, await storageWrite(scope, { documents: 0, bytes: attachment.size })];
}

/** Returns the attachments that exist, in no particular order; deleted ones are missing. */
export async function findAttachments(scope: TenantScope, refs: readonly AttachmentRef[]): Promise<StoredAttachment[]> {
  if (refs.length === 0) return [];
  const items = await tenantTable(scope).getMany(
    refs.map((ref) => keyOf(scope, ref)),
    { consistent: true },
  );
  return items.map(readAttachment);
}

/** Returns true for attachments of messages, and for those that the user has uploaded. */
const isVisible = ({ userId }: UserScope, { author_id, message_id }: StoredAttachment) =>
  author_id === userId || message_id !== null;

/**
 * Returns an attachment. The caller must authorize the user for the conversation.
 * @throws ServiceError `not_found`, also for an unsent attachment of another user
 */
export async function getAttachment(member: UserScope, ref: AttachmentRef): Promise<StoredAttachment> {
  const [attachment] = await findAttachments(member, [ref]);
  if (!attachment || !isVisible(member, attachment)) throw notFound();
  return attachment;
}

/**
 * Returns the attachments for a new message, in the order of `ids`.
 * @throws ServiceError `not_found`; `conflict` if a file is not processed yet; `unsupported_content` if a file cannot
 * be read
 */
export async function getAttachmentsToSend(
  member: UserScope,
  conversationId: string,
  ids: readonly string[],
): Promise<StoredAttachment[]> {
  const found = await findAttachments(
    member,
    ids.map((id) => ({ conversation_id: conversationId, id })),
  );
  return ids.map((id) => {
    const attachment = found.find((each) => each.id === id);
    if (!attachment || !isVisible(member, attachment)) throw notFound();
    const { status, file_name, failure } = attachment;
    if (status === "failed") throw new ServiceError("unsupported_content", `${file_name}: ${failure?.message}`);
    if (status === "ready") return attachment;
    throw new ServiceError("conflict", `${file_name} is still being read; wait until its status is ready, and retry.`);
  });
}

/** Returns the fields of an attachment that are stored with its message. */
export const toMessageAttachment = ({ id, file_name, kind, media_type, size }: MessageAttachment) => ({
  id,
  file_name,
  kind,
  media_type,
  size,
});

/**
 * Returns the write that links an attachment to its message, so that it no longer expires before the conversation.
 * Fails with `not_found` if the attachment was deleted.
 */
export function sentWrite(scope: TenantScope, attachment: StoredAttachment, messageId: string): Write {
  return {
    update: keyOf(scope, attachment),
    set: { message_id: messageId, timestamp: now() },
    remove: ["ttl"],
    condition: exists(notFound),
  };
}

/**
 * Updates an attachment while its file is being processed.
 * @throws ServiceError `not_found` if it was deleted or another job has already processed it
 */
export async function updatePendingAttachment(
  scope: TenantScope,
  ref: AttachmentRef,
  set: Partial<StoredAttachment>,
): Promise<void> {
  await tenantTable(scope).write({
    update: keyOf(scope, ref),
    set: { ...set, timestamp: now() },
    condition: equals({ status: "pending" }, notFound),
  });
}

/**
 * Deletes an attachment. The rule `delete-attachment-files` deletes its file afterwards.
 * @throws ServiceError `not_found`
 */
export async function deleteAttachment(scope: TenantScope, ref: AttachmentRef): Promise<void> {
  await deleteExistingItem(scope, keyOf(scope, ref));
}

/** Deletes the attachments of a message, except those that a later message has taken over. */
export async function deleteAttachmentsOf(
  scope: TenantScope,
  { conversation_id, message_id, attachments = [] }: Pick<Message, "conversation_id" | "message_id" | "attachments">,
): Promise<void> {
  const found = await findAttachments(
    scope,
    attachments.map(({ id }) => ({ conversation_id, id })),
  );
  const own = found.filter((attachment) => attachment.message_id === message_id);
  await tenantTable(scope).deleteMany(own.map((attachment) => keyOf(scope, attachment)));
}

/** Returns the attachments that were sent with messages of a conversation. */
export async function listSentAttachments(scope: TenantScope, conversationId: string): Promise<StoredAttachment[]> {
  const { pk } = keys.attachment(scope.tenantId, conversationId, "");
  const items: Item[] = await tenantTable(scope).query({ pk, prefix: keyPrefixes.attachment, consistent: true });
  return items.map(readAttachment).filter(({ message_id }) => message_id !== null);
}
