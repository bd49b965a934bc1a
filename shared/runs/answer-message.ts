import type { StoredMessage } from "../conversations/message-store.ts";
import type { RunEvent } from "./events.ts";
import type { StoredRun } from "./run-store.ts";

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

/** What is shown of an answer that was stored whole: all of it, and that this is the end. */
export const wholeAnswer = ({ message_id, content }: StoredMessage): [shown: RunEvent, end: RunEvent] => [
  { type: "assistant_message", data: { message_id, content, final: true } },
  { type: "done", data: { message_id, block_count: content.length } },
];
