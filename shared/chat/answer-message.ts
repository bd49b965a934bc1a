import type { StoredMessage } from "../data/message-store.ts";
import type { StoredRun } from "../data/run-store.ts";

/** The answer that a run makes, as a message. */
export function answerMessage(
  run: StoredRun,
  made: Pick<StoredMessage, "content" | "status" | "model" | "usage">,
): StoredMessage {
  return {
    message_id: run.message_id,
    conversation_id: run.conversation_id,
    role: "assistant",
    ...made,
    parent_id: run.parent_id,
    author_id: null,
    tier: run.tier,
    alert: null,
    created_at: run.created_at,
    edited_at: null,
    question_id: run.user_message_id,
    asked_by: run.user_id,
    persona_id: run.persona_id,
  };
}
