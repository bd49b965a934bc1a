import * as v from "valibot";
import type { Block } from "../api/blocks.ts";
import { type Message, Revision } from "../api/conversations/messages.ts";
import { itemReader, trusted } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { equals } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, uniqueTimestamp } from "../lib/clock.ts";
import { changedConcurrently, notFound } from "../lib/errors.ts";
import type { StoredMessage } from "./message-store.ts";
import { deleteSummariesOf } from "./summary-store.ts";

const readRevision = itemReader(v.object({ ...Revision.entries, content: trusted<Block[]>() }));

/**
 * Replaces the content of a message, stores the previous content as a revision, and deletes summaries that contain the
 * message.
 * @throws ServiceError `not_found` if the message was deleted, `conflict` if it was edited since it was read
 */
export async function editMessage(
  scope: TenantScope,
  message: StoredMessage,
  content: Message["content"],
  editorId: string,
): Promise<StoredMessage> {
  const { conversation_id, message_id, edited_at, digital_source_type } = message;
  const editedAt = uniqueTimestamp();
  const changes = {
    content,
    edited_at: editedAt,
    ...(digital_source_type && { digital_source_type: "compositeWithTrainedAlgorithmicMedia" as const }),
  };
  const revision: Revision = { content: message.content, replaced_at: editedAt, replaced_by: editorId };
  await tenantTable(scope).transact([
    {
      update: keys.message(scope.tenantId, conversation_id, message_id),
      set: { ...changes, timestamp: now() },
      condition: equals({ edited_at }, (existing) => (existing ? changedConcurrently("The message") : notFound())),
    },
    {
      put: {
        ...keys.revision(scope.tenantId, conversation_id, message_id, editedAt),
        discriminator: "revision",
        timestamp: now(),
        ...revision,
      },
    },
  ]);
  await deleteSummariesOf(scope, conversation_id, message_id);
  return { ...message, ...changes };
}

/**
 * Lists the previous contents of a message, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listRevisions(
  scope: TenantScope,
  { conversation_id, message_id }: StoredMessage,
  request: PageRequest,
): Promise<Page<Revision>> {
  const { pk, sk: prefix } = keys.revision(scope.tenantId, conversation_id, message_id, "");
  const list = { list: "revisions", filters: { message_id }, pk, prefix, descending: true };
  return mapPage(await listPage(scope, list, request), readRevision);
}
