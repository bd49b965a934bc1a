import type { Feedback } from "../api/conversations/feedback.ts";
import { findConversation } from "../conversations/conversation-store.ts";
import { findMessage, type StoredMessage } from "../conversations/message-store.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { findSessionOf } from "../visitors/embed-session-store.ts";
import { type QuestionReason, recordQuestion } from "./question-store.ts";

type Answer = Pick<StoredMessage, "conversation_id" | "message_id" | "visitor_question">;

/**
 * Records a visitor's question that got no good answer. Stores it as it was searched for, with the sensitive data that
 * the guardrails found already redacted.
 */
async function record(scope: TenantScope, answer: Answer, reason: QuestionReason, at: string): Promise<void> {
  const { conversation_id, message_id, visitor_question } = answer;
  if (!visitor_question) return;
  const [session, conversation] = await Promise.all([
    findSessionOf(scope, conversation_id),
    findConversation(scope, conversation_id),
  ]);
  if (!session || !conversation) return;
  const { text, searched = text } = visitor_question;
  const { retention_days: retentionDays } = conversation;
  await recordQuestion(
    scope,
    { keyId: session.key_id, sessionId: conversation_id, messageId: message_id, text: searched, retentionDays },
    reason,
    at,
  );
}

/** Records the question of an answer that cites no source or says that it does not know; does nothing for other answers. */
export async function recordGap(scope: TenantScope, answer: Answer & Pick<StoredMessage, "created_at">): Promise<void> {
  const gap = answer.visitor_question?.gap;
  if (gap) await record(scope, answer, gap, answer.created_at);
}

/** Records the question of an answer that a visitor rated `down`, unless `recordGap` already counted it. */
export async function recordDislike(scope: TenantScope, feedback: Feedback): Promise<void> {
  const answer = await findMessage(scope, feedback.conversation_id, feedback.message_id);
  if (answer && !answer.visitor_question?.gap) await record(scope, answer, "disliked", feedback.updated_at);
}
