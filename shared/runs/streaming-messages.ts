import { findMessage, type StoredMessage } from "../conversations/message-store.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { findRun, type StoredRun } from "./run-store.ts";
import { toAnswerMessage } from "./to-answer-message.ts";

/** Maximum age of a run in progress, including up to twelve hours of waiting for an approval. */
const MAX_RUN_AGE_MS = 13 * 3_600_000;

/**
 * Adds a message with the status `streaming` for each question of a page whose answer is still being generated. Answers
 * are stored only when they are complete.
 */
export async function withStreamingMessages(
  scope: TenantScope,
  page: readonly StoredMessage[],
  order: "asc" | "desc",
): Promise<StoredMessage[]> {
  const listedIds = new Set(page.map(({ message_id }) => message_id));
  const oldest = timestamp(now() - MAX_RUN_AGE_MS);
  const unanswered = page.filter(
    ({ reply_id, created_at }) => reply_id && !listedIds.has(reply_id) && created_at > oldest,
  );
  const streaming = await Promise.all(unanswered.map((question) => findStreamingAnswer(scope, question)));
  const direction = order === "asc" ? 1 : -1;
  return [...page, ...streaming.filter((message) => message !== null)].sort(
    (a, b) => direction * (a.message_id < b.message_id ? -1 : 1),
  );
}

async function findStreamingAnswer(scope: TenantScope, question: StoredMessage): Promise<StoredMessage | null> {
  const replyId = question.reply_id ?? "";
  const [answer, run] = await Promise.all([
    findMessage(scope, question.conversation_id, replyId),
    findRun(scope, replyId),
  ]);
  return answer || !run ? null : streamingMessage(run);
}

/** Returns the empty message that represents an answer in progress. */
export function streamingMessage(run: StoredRun): StoredMessage {
  return toAnswerMessage(run, { content: [], status: "streaming", model: run.model, usage: null });
}
