import * as v from "valibot";
import { answeredEvent } from "../api/messengers/event-ref.ts";
import { scheduledRun } from "../api/schedules/schedule-run-ref.ts";
import { Tier } from "../api/tiers.ts";
import { findConversation, type StoredConversation, touchConversation } from "../conversations/conversation-store.ts";
import { findMessage, newMessageWrite, type StoredMessage, setReplyWrite } from "../conversations/message-store.ts";
import { isRetryableError } from "../dynamodb/is-retryable-error.ts";
import { itemReader, trusted } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import type { Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { returnReservations } from "../governance/budgets/ledger-store.ts";
import type { Charges } from "../lib/charges.ts";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { retryUntil } from "../lib/retry.ts";

/** Run: the generation of one answer, independent of the connections that stream it. */
const StoredRun = v.object({
  /** Id of the run, which is also the message id of its answer. */
  message_id: v.string(),
  conversation_id: v.string(),
  user_message_id: v.string(),
  user_id: v.string(),
  request_id: v.string(),
  /** W3C trace context of the request. */
  traceparent: v.optional(v.string()),
  parent_id: v.nullable(v.string()),
  /** True if the run regenerates an answer. */
  regenerated: v.optional(v.literal(true)),
  /** Embed key of the website whose visitor asked. */
  key_id: v.optional(v.string()),
  persona_id: v.nullable(v.string()),
  /** Version of the persona that answers; absent without a persona that the user may use. */
  persona_version: v.optional(v.number()),
  /** Investigation that the run performs. */
  investigation_id: v.optional(v.string()),
  ...answeredEvent,
  ...scheduledRun,
  /** Number of nested calls between personas that led to the run, see `call-depth.ts`. */
  tool_depth: v.optional(v.number()),
  /** True if the answer goes to a channel of a messenger, where others than the asker read it. */
  in_channel: v.optional(v.boolean()),
  tier: Tier,
  model: v.string(),
  created_at: v.string(),
  /**
   * Id of the latest hand-over, with which another function resumed the run because the one before had too little time
   * left.
   */
  hand_over_id: v.optional(v.string()),
  /** Budget counters that are charged for the answer. */
  charges: v.optional(trusted<Charges>()),
});
export type StoredRun = Readonly<v.InferOutput<typeof StoredRun>>;

const readRun = itemReader(StoredRun);

/** Maximum time for retries that verify or roll back the start of a run while the table is unavailable. */
const RECOVERY_TIMEOUT_MS = 10_000;

const retryForRecovery = <Result>(work: () => Promise<Result>): Promise<Result> =>
  retryUntil(work, isRetryableError, now() + RECOVERY_TIMEOUT_MS);

/**
 * Maximum time for storing a run and its question. The watchdog, which removes a run without a question, starts after
 * 20 s.
 */
const START_TIMEOUT_MS = 10_000;

/**
 * Returns true if the question of a run was stored although its write seemed to fail, and undefined if that cannot be
 * read.
 */
async function wasStored(scope: TenantScope, run: StoredRun): Promise<boolean | undefined> {
  try {
    const question = await retryForRecovery(() => findMessage(scope, run.conversation_id, run.user_message_id));
    return question?.reply_id === run.message_id;
  } catch (error) {
    log.warn("start of run not verified", { message_id: run.message_id, error });
    return undefined;
  }
}

/** Removes the record of a run whose question was not stored. Best-effort: a failure is logged. */
async function removeUnstartedRun(scope: TenantScope, { message_id }: StoredRun): Promise<void> {
  try {
    await tenantTable(scope).deleteMany([keys.run(scope.tenantId, message_id)]);
  } catch (error) {
    log.warn("run without question not removed", { message_id, error });
  }
}

interface NewRun {
  readonly conversation: StoredConversation;
  readonly question: StoredMessage;
  /** False if the question is already stored, to regenerate its answer. */
  readonly isNew: boolean;
  readonly run: StoredRun;
}

/**
 * Stores the run, then the question (a new message, or a new `reply_id` of a stored one), then the conversation's
 * activity. One transaction for all would cost twice as many write units as separate writes, and concurrent turns of a
 * conversation would conflict. If the function dies in between, the reaper removes a run without a question and
 * otherwise updates the activity.
 * @param first writes to place in one transaction with the question, before it, so that their errors take precedence;
 * for example the record of an idempotent request
 * @param reserve reserves the estimated cost in budgets, concurrently with the write of the run
 * @throws ServiceError `not_found` if the conversation was deleted, or the error of `reserve`
 */
export async function startRun(
  scope: TenantScope,
  turn: NewRun,
  first: readonly Write[] = [],
  reserve: (runId: string) => Promise<void> = async () => {},
): Promise<void> {
  try {
    await storeStart(scope, turn, first, reserve);
  } catch (error) {
    // The run calls no model.
    await returnReservations(scope, turn.run.message_id, turn.run.charges).catch((cause) =>
      log.warn("reservation not returned", { message_id: turn.run.message_id, error: cause }),
    );
    throw error;
  }
}

async function storeStart(
  scope: TenantScope,
  turn: NewRun,
  first: readonly Write[],
  reserve: (runId: string) => Promise<void>,
): Promise<void> {
  const { conversation, question, isNew, run } = turn;
  const table = tenantTable(scope);
  const startedAt = now();
  const runKey = keys.run(scope.tenantId, run.message_id);
  const questionWrite = isNew
    ? newMessageWrite(scope, { ...question, reply_id: run.message_id })
    : setReplyWrite(scope, question, run.message_id);
  const [stored, reserved] = await Promise.allSettled([
    table.write({ put: { ...runKey, discriminator: "run", timestamp: startedAt, ...run } }),
    reserve(run.message_id),
  ]);
  if (stored.status === "rejected") throw stored.reason;
  if (reserved.status === "rejected") {
    await removeUnstartedRun(scope, run);
    throw reserved.reason;
  }
  try {
    await (first.length > 0 ? table.transact([...first, questionWrite]) : table.write(questionWrite));
  } catch (error) {
    // If only the responses were lost, the question was stored, and the run must continue: a write that is repeated then
    // fails for its own message or record. Otherwise, a retry of the request would wait for an answer that no function generates.
    const isStored = await wasStored(scope, run);
    if (!isStored) {
      // After a retryable error, the question can still be stored, so that the run is left to the reaper.
      if (isStored === false && !isRetryableError(error)) await removeUnstartedRun(scope, run);
      throw error;
    }
  }
  try {
    if (now() - startedAt > START_TIMEOUT_MS) throw new ServiceError("unavailable");
    const startsBranch =
      run.regenerated === true || question.replaces_id !== undefined || question.after_id !== undefined;
    await touchConversation(scope, conversation, isNew ? 2 : 1, {
      tier: run.tier,
      ...(startsBranch && { has_branches: true }),
      // The new message is on the branch that readers have chosen, so that its branch is the newest one from here on.
      ...(conversation.active_message_id && run.parent_id === null && { active_message_id: null }),
    });
  } catch (error) {
    // Roll back. If the conversation was deleted concurrently, its purge may have missed these items. If the table
    // failed, a retry must not find the record of a request that was never executed.
    const written = [
      runKey,
      // A client that follows the run may have ended it in the meantime.
      keys.message(scope.tenantId, conversation.id, run.message_id),
      ...first.flatMap((write) => ("put" in write ? [write.put] : [])),
    ];
    if (isNew) written.push(keys.message(scope.tenantId, conversation.id, question.message_id));
    await retryForRecovery(() => table.deleteMany(written.map(({ pk, sk }) => ({ pk, sk })))).catch((cause) =>
      log.error("start of run not rolled back", { message_id: run.message_id, error: cause }),
    );
    throw error;
  }
}

/** Updates the activity of the conversation for a run whose function died before `startRun` could do so. */
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

async function removeRun(scope: TenantScope, { conversation_id, message_id }: StoredRun): Promise<true> {
  const items = await tenantTable(scope).query({ pk: keys.run(scope.tenantId, message_id).pk, consistent: true });
  await tenantTable(scope).deleteMany([...items, keys.message(scope.tenantId, conversation_id, message_id)]);
  return true;
}

/**
 * Removes a run and its answer if the conversation was deleted.
 * @returns true if they were removed
 */
export async function removeOrphanedRun(scope: TenantScope, run: StoredRun): Promise<boolean> {
  return !(await findConversation(scope, run.conversation_id)) && removeRun(scope, run);
}

/**
 * Removes a dead run without frames if its question does not refer to it. Either its function died before storing the
 * question or the reference, or a later regeneration replaced it, or its start was rolled back.
 * @returns true if the run was removed
 */
export async function removeUnaskedRun(scope: TenantScope, run: StoredRun): Promise<boolean> {
  const [question, stored] = await Promise.all([
    findMessage(scope, run.conversation_id, run.user_message_id),
    findRun(scope, run.message_id),
  ]);
  if (stored && question?.reply_id === run.message_id) return false;
  await returnReservations(scope, run.message_id, run.charges);
  return removeRun(scope, run);
}

export async function findRun(scope: TenantScope, messageId: string): Promise<StoredRun | undefined> {
  const item = await tenantTable(scope).get(keys.run(scope.tenantId, messageId), { consistent: true });
  return item && readRun(item);
}
