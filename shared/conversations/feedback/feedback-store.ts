import type { Feedback } from "../../api/conversations/feedback.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import { listPage, type Page, type PageRequest } from "../../dynamodb/pagination.ts";
import type { Item, Write } from "../../dynamodb/table.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { notFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";

/** The feedback of an item. */
export const feedbackOf = (item: Item) => item as unknown as Feedback;

const prefix = "feedback#";

/** Fresh feedback. */
export function newFeedback(
  fields: Pick<
    Feedback,
    "message_id" | "conversation_id" | "user_id" | "rating" | "query_hash" | "category" | "comment"
  >,
): Feedback {
  const at = timestamp();
  return { id: newId(), ...fields, created_at: at, updated_at: at };
}

/** It lies with its conversation, where there is one for each person and message, and goes when that goes. */
const placeOf = ({ tenantId }: TenantScope, { conversation_id, message_id, user_id }: Feedback) =>
  keys.feedback(tenantId, conversation_id, message_id, user_id);

/** And once more in the tenant's list, in the order of its making. */
const listedAt = ({ tenantId }: TenantScope, { id }: Feedback) => keys.listedFeedback(tenantId, id);

function itemsOf(scope: TenantScope, feedback: Feedback) {
  const { id, user_id } = feedback;
  return {
    own: {
      ...placeOf(scope, feedback),
      ...indexKeys.ownFeedback(scope.tenantId, user_id, id),
      discriminator: "feedback",
      timestamp: now(),
      ...feedback,
    },
    listed: { ...listedAt(scope, feedback), discriminator: "listed-feedback", timestamp: now(), ...feedback },
  };
}

/**
 * The writes of feedback that is the first of its person on its message.
 * @param exists what to throw where it is not
 */
export function newFeedbackWrites(scope: TenantScope, feedback: Feedback, exists: (found: Item) => Error): Write[] {
  const { own, listed } = itemsOf(scope, feedback);
  return [
    {
      check: keys.conversation(scope.tenantId, feedback.conversation_id),
      condition: { where: "attribute_exists(#pk) AND attribute_not_exists(#deleted)", onConditionFailed: notFound },
    },
    {
      put: own,
      condition: {
        where: "attribute_not_exists(#pk)",
        onConditionFailed: (found) => (found ? exists(found) : notFound()),
      },
    },
    { put: listed },
  ];
}

/** The writes that put other feedback in the place of what was given before. */
export function replacedFeedbackWrites(scope: TenantScope, feedback: Feedback): Write[] {
  const { own, listed } = itemsOf(scope, feedback);
  return [
    { put: own, condition: { where: "#id = :id", values: { id: feedback.id }, onConditionFailed: notFound } },
    { put: listed },
  ];
}

/**
 * Feedback, newest first: the person's own or, for who may see that, all of the tenant's.
 * @throws ServiceError `invalid_cursor`
 */
export async function listFeedback(
  { tenantId, userId }: UserScope,
  whose: "own" | "all",
  request: PageRequest,
): Promise<Page<Feedback>> {
  const place =
    whose === "all"
      ? { pk: keys.listedFeedback(tenantId, "").pk }
      : { index: "gsi1" as const, pk: indexKeys.ownFeedback(tenantId, userId, "").gsi1pk };
  const list = { list: "feedback", filters: { whose, userId }, ...place, descending: true };
  const { entries, next } = await listPage({ tenantId }, list, request);
  return { entries: entries.map(feedbackOf), next };
}

/** @throws ServiceError `not_found` */
export async function getFeedback(scope: TenantScope, id: string): Promise<Feedback> {
  const item = await tenantTable(scope).get(keys.listedFeedback(scope.tenantId, id), { consistent: true });
  if (!item) throw notFound();
  return feedbackOf(item);
}

/** The writes that delete feedback; where it is gone or was replaced, a `not_found`. */
export function deletedFeedbackWrites(scope: TenantScope, feedback: Feedback): Write[] {
  const { id } = feedback;
  return [
    {
      delete: placeOf(scope, feedback),
      condition: { where: "#id = :id", values: { id }, onConditionFailed: notFound },
    },
    { delete: listedAt(scope, feedback) },
  ];
}

/** @throws ServiceError `not_found` */
export async function deleteFeedback(scope: TenantScope, feedback: Feedback): Promise<void> {
  await tenantTable(scope).transact(deletedFeedbackWrites(scope, feedback));
}

/** Feedback removed at once with a conversation. */
const batch = 100;

/** Removes the feedback on a deleted conversation. */
export async function purgeFeedback(scope: TenantScope, conversationId: string): Promise<void> {
  const table = tenantTable(scope);
  const { pk } = keys.conversation(scope.tenantId, conversationId);
  for (;;) {
    const items = await table.query({ pk, prefix, limit: batch });
    await table.deleteMany(items.map((item) => listedAt(scope, feedbackOf(item))));
    await table.deleteMany(items);
    if (items.length < batch) break;
  }
}
