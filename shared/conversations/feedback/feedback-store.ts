import { Feedback } from "../../api/conversations/feedback.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { indexKeys, keyPrefixes, keys } from "../../dynamodb/keys.ts";
import { type ListQuery, listPage, mapPage, type Page, type PageRequest } from "../../dynamodb/pagination.ts";
import { requireItem } from "../../dynamodb/required-item.ts";
import { absent, equals, type Item, notDeleted, type Write } from "../../dynamodb/table.ts";
import { SWEEP_BATCH_SIZE } from "../../dynamodb/table-layout.ts";
import { type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { notFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import type { StoredMessage } from "../message-store.ts";

/** Reads feedback from its item in the conversation or from its copy in the tenant's list. */
export const readFeedback = itemReader(Feedback);

/** Returns new feedback on a message that is not stored yet. */
export function newFeedback(
  { message_id, conversation_id, persona_id, persona_version }: StoredMessage,
  fields: Pick<Feedback, "user_id" | "rating" | "query_hash" | "category" | "comment" | "wrong_rules">,
): Feedback {
  const at = timestamp();
  return {
    id: newId(),
    message_id,
    conversation_id,
    persona_id: persona_id ?? null,
    persona_version: persona_version ?? null,
    ...fields,
    created_at: at,
    updated_at: at,
  };
}

/**
 * Returns the key of feedback among the items of its conversation, with which it is deleted. A user has one per
 * message.
 */
const toKey = ({ tenantId }: TenantScope, { conversation_id, message_id, user_id }: Feedback) =>
  keys.feedback(tenantId, conversation_id, message_id, user_id);

/** Returns the key of the copy in the tenant's list, which is sorted by creation. */
const toListedKey = ({ tenantId }: TenantScope, { id }: Feedback) => keys.listedFeedback(tenantId, id);

function toItems(scope: TenantScope, feedback: Feedback) {
  const { id, user_id, persona_id } = feedback;
  return {
    own: {
      ...toKey(scope, feedback),
      ...indexKeys.ownFeedback(scope.tenantId, user_id, id),
      discriminator: "feedback",
      timestamp: now(),
      ...feedback,
    },
    listed: {
      ...toListedKey(scope, feedback),
      ...(persona_id !== null && indexKeys.personaFeedback(scope.tenantId, persona_id, id)),
      discriminator: "listed-feedback",
      timestamp: now(),
      ...feedback,
    },
  };
}

/**
 * Returns the writes that store the first feedback of a user on a message. They fail with `not_found` if the
 * conversation was deleted.
 * @param toExistsError returns the error to throw if the user has already given feedback on the message
 */
export function newFeedbackWrites(
  scope: TenantScope,
  feedback: Feedback,
  toExistsError: (existing: Item) => Error,
): Write[] {
  const { own, listed } = toItems(scope, feedback);
  return [
    {
      check: keys.conversation(scope.tenantId, feedback.conversation_id),
      condition: notDeleted(notFound),
    },
    {
      put: own,
      condition: absent((existing) => (existing ? toExistsError(existing) : notFound())),
    },
    { put: listed },
  ];
}

/** Returns the writes that replace feedback with the same id. They fail with `not_found` if it was deleted. */
export function replaceFeedbackWrites(scope: TenantScope, feedback: Feedback): Write[] {
  const { own, listed } = toItems(scope, feedback);
  return [{ put: own, condition: equals({ id: feedback.id }, notFound) }, { put: listed }];
}

/** Feedback to list: of the user or of all users in the tenant, and on answers of one persona or of all. */
interface FeedbackSelection {
  readonly whose: "own" | "all";
  readonly personaId: string | undefined;
}

function toQuery({ tenantId, userId }: UserScope, { whose, personaId }: FeedbackSelection): Omit<ListQuery, "list"> {
  if (whose === "own") {
    const where = (item: Item) => personaId === undefined || item.persona_id === personaId;
    return { index: "gsi1", pk: indexKeys.ownFeedback(tenantId, userId, "").gsi1pk, where };
  }
  return personaId === undefined
    ? { pk: keys.listedFeedback(tenantId, "").pk }
    : { index: "gsi1", pk: indexKeys.personaFeedback(tenantId, personaId, "").gsi1pk };
}

/**
 * Lists feedback, newest first. The caller must authorize that of all users.
 * @throws ServiceError `invalid_cursor`
 */
export async function listFeedback(
  { tenantId, userId }: UserScope,
  selection: FeedbackSelection,
  request: PageRequest,
): Promise<Page<Feedback>> {
  const query = toQuery({ tenantId, userId }, selection);
  const list = { list: "feedback", filters: { ...selection, userId }, ...query, descending: true };
  return mapPage(await listPage({ tenantId }, list, request), readFeedback);
}

/** @throws ServiceError `not_found` */
export async function getFeedback(scope: TenantScope, id: string): Promise<Feedback> {
  return readFeedback(await requireItem(scope, keys.listedFeedback(scope.tenantId, id)));
}

/** Returns the writes that delete feedback. They fail with `not_found` if it was deleted or replaced concurrently. */
export function deleteFeedbackWrites(scope: TenantScope, feedback: Feedback): Write[] {
  const { id } = feedback;
  return [
    {
      delete: toKey(scope, feedback),
      condition: equals({ id }, notFound),
    },
    { delete: toListedKey(scope, feedback) },
  ];
}

/** @throws ServiceError `not_found` */
export async function deleteFeedback(scope: TenantScope, feedback: Feedback): Promise<void> {
  await tenantTable(scope).transact(deleteFeedbackWrites(scope, feedback));
}

/** Deletes the feedback on a deleted conversation, with its copies in the tenant's list. */
export async function purgeFeedback(scope: TenantScope, conversationId: string): Promise<void> {
  const table = tenantTable(scope);
  const { pk } = keys.conversation(scope.tenantId, conversationId);
  for (;;) {
    const items = await table.query({ pk, prefix: keyPrefixes.feedback, limit: SWEEP_BATCH_SIZE });
    await table.deleteMany(items.map((item) => toListedKey(scope, readFeedback(item))));
    await table.deleteMany(items);
    if (items.length < SWEEP_BATCH_SIZE) break;
  }
}
