import * as v from "valibot";
import { Tier } from "../api/tiers.ts";
import { findConversation, type StoredConversation, touchConversation } from "../conversations/conversation-store.ts";
import { findMessage, newMessageWrite, type StoredMessage, setReplyWrite } from "../conversations/message-store.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { isRetryableError } from "../dynamodb/retryable-errors.ts";
import type { Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { log } from "../lib/log.ts";
import { retryUntil } from "../lib/retry-until.ts";

/** Run: the generation of one answer, independent of the connections that stream it. */
const StoredRun = v.object({
  /** Message id of the answer, which is also the id of the run. */
  message_id: v.string(),
  conversation_id: v.string(),
  user_message_id: v.string(),
  user_id: v.string(),
  request_id: v.string(),
  parent_id: v.nullable(v.string()),
  persona_id: v.nullable(v.string()),
  tier: Tier,
  model: v.string(),
  created_at: v.string(),
});
export type StoredRun = Readonly<v.InferOutput<typeof StoredRun>>;

const readRun = itemReader(StoredRun);

/** Maximum time for retries that verify or roll back the start of a run while the table is unavailable. */
const RECOVERY_TIMEOUT_MS = 10_000;

const retryForRecovery = <Result>(work: () => Promise<Result>): Promise<Result> =>
  retryUntil(work, isRetryableError, now() + RECOVERY_TIMEOUT_MS);

/** Returns true if the run was stored although its transaction seemed to fail. */
async function wasStored(scope: TenantScope, run: StoredRun, failure: unknown): Promise<boolean> {
  const find = () => findRun(scope, run.message_id);
  try {
    return (await (isRetryableError(failure) ? retryForRecovery(find) : find())) !== undefined;
  } catch (error) {
    log.warn("start of run not verified", { message_id: run.message_id, error });
    return false;
  }
}

/**
 * Stores the user's message (unless an earlier one is answered again) and the run in one transaction, then updates the
 * conversation's activity. The activity is not part of the transaction because that would cost one more write unit and
 * make concurrent turns of one conversation conflict. If the function dies in between, the reaper updates the activity.
 * @param first writes to place first in the transaction, so that their failed conditions take precedence, such as the
 * record of an idempotent request
 * @throws ServiceError `not_found` if the conversation was deleted
 */
export async function startRun(
  scope: TenantScope,
  turn: { conversation: StoredConversation; question: StoredMessage; isNew: boolean; run: StoredRun },
  first: readonly Write[] = [],
): Promise<void> {
  const { conversation, question, isNew, run } = turn;
  const writes = [
    ...first,
    isNew
      ? newMessageWrite(scope, { ...question, reply_id: run.message_id })
      : setReplyWrite(scope, question, run.message_id),
    {
      put: { ...keys.run(scope.tenantId, run.message_id), discriminator: "run", timestamp: now(), ...run },
      condition: { where: "attribute_not_exists(#pk)" },
    },
  ];
  try {
    await tenantTable(scope).transact(writes);
  } catch (error) {
    // If only the responses were lost, the run was stored and must continue. Otherwise, a retry of the request would
    // wait for an answer that no function generates.
    if (!(await wasStored(scope, run, error))) throw error;
  }
  try {
    await touchConversation(scope, conversation, isNew ? 2 : 1, { tier: run.tier });
  } catch (error) {
    // Roll back. If the conversation was deleted concurrently, its purge may have missed these items. If the table
    // failed, a retry must not find the record of a request that was never executed.
    const written = [
      keys.run(scope.tenantId, run.message_id),
      // A client that follows the run may have ended it in the meantime.
      keys.message(scope.tenantId, conversation.id, run.message_id),
      ...first.flatMap((write) => ("put" in write ? [write.put] : [])),
    ];
    if (isNew) written.push(keys.message(scope.tenantId, conversation.id, question.message_id));
    await retryForRecovery(() => tenantTable(scope).deleteMany(written.map(({ pk, sk }) => ({ pk, sk })))).catch(
      (cause) => log.error("start of run not rolled back", { message_id: run.message_id, error: cause }),
    );
    throw error;
  }
}

/** Updates the conversation's activity for a run whose function died before `startRun` could. */
export async function recordMissedActivity(scope: TenantScope, run: StoredRun): Promise<void> {
  const [conversation, question] = await Promise.all([
    findConversation(scope, run.conversation_id),
    findMessage(scope, run.conversation_id, run.user_message_id),
  ]);
  if (!conversation || !question) return;
  const lastActivity = Date.parse(conversation.last_activity_at);
  if (lastActivity >= Date.parse(run.created_at)) return;
  const isNew = Date.parse(question.created_at) > lastActivity;
  await touchConversation(scope, conversation, isNew ? 2 : 1, { tier: run.tier });
}

/**
 * Removes a run and its answer if the conversation was deleted.
 * @returns true if they were removed
 */
export async function removeOrphanedRun(
  scope: TenantScope,
  { conversation_id, message_id }: StoredRun,
): Promise<boolean> {
  if (await findConversation(scope, conversation_id)) return false;
  const items = await tenantTable(scope).query({ pk: keys.run(scope.tenantId, message_id).pk, consistent: true });
  await tenantTable(scope).deleteMany([...items, keys.message(scope.tenantId, conversation_id, message_id)]);
  return true;
}

/** Returns a run, or undefined. */
export async function findRun(scope: TenantScope, messageId: string): Promise<StoredRun | undefined> {
  const item = await tenantTable(scope).get(keys.run(scope.tenantId, messageId), { consistent: true });
  return item && readRun(item);
}
