import { findMessage, type StoredMessage } from "../conversations/message-store.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { answerMessage } from "./answer-message.ts";
import { findRun, type StoredRun } from "./run-store.ts";

/** A run cannot be older than this and still be under way, in milliseconds: it may wait half a day for somebody's word. */
const longestRun = 13 * 3_600_000;

/**
 * Messages of a page, with an empty one of status `streaming` for each answer that is still being made: an answer
 * itself is stored once, when it is whole.
 */
export async function withRunsUnderWay(
  scope: TenantScope,
  page: readonly StoredMessage[],
  order: "asc" | "desc",
): Promise<StoredMessage[]> {
  const listed = new Set(page.map(({ message_id }) => message_id));
  const recent = timestamp(now() - longestRun);
  const open = page.filter(({ reply_id, created_at }) => reply_id && !listed.has(reply_id) && created_at > recent);
  const streaming = await Promise.all(open.map((question) => streamingAnswer(scope, question)));
  const direction = order === "asc" ? 1 : -1;
  return [...page, ...streaming.filter((message) => message !== null)].sort(
    (a, b) => direction * (a.message_id < b.message_id ? -1 : 1),
  );
}

async function streamingAnswer(scope: TenantScope, question: StoredMessage): Promise<StoredMessage | null> {
  const replyId = question.reply_id ?? "";
  const [answer, run] = await Promise.all([
    findMessage(scope, question.conversation_id, replyId),
    findRun(scope, replyId),
  ]);
  return answer || !run ? null : underWay(run);
}

/** The answer of a run that is still being made: an empty one. */
export function underWay(run: StoredRun): StoredMessage {
  return answerMessage(run, { content: [], status: "streaming", model: run.model, usage: null });
}
