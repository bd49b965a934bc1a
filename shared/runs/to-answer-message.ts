import type { StoredMessage } from "../conversations/message-store.ts";
import type { RunEvent } from "./events.ts";
import type { StoredRun } from "./run-store.ts";

/** Returns the message that stores the answer of a run, with the run's id as its message id. */
export function toAnswerMessage(
  run: StoredRun,
  result: Pick<
    StoredMessage,
    | "content"
    | "status"
    | "model"
    | "usage"
    | "error"
    | "finish_reason"
    | "is_refused"
    | "read_origins"
    | "token_ratio"
    | "summary_until_id"
    | "checks"
    | "duration_ms"
    | "visitor_question"
    | "tool_cards"
  >,
): StoredMessage {
  const messengerEvent = run.messenger_event;
  return {
    message_id: run.message_id,
    conversation_id: run.conversation_id,
    role: "assistant",
    digital_source_type: "trainedAlgorithmicMedia",
    ...result,
    parent_id: run.parent_id,
    author_id: null,
    tier: run.tier,
    alert: null,
    created_at: run.created_at,
    edited_at: null,
    question_id: run.user_message_id,
    ...(run.regenerated && { regenerated: true }),
    ...(run.investigation_id !== undefined && { investigation_id: run.investigation_id }),
    ...(messengerEvent && { messenger_event: messengerEvent }),
    ...(run.schedule_run && { schedule_run: run.schedule_run }),
    asked_by: run.user_id,
    ...(run.key_id !== undefined && { key_id: run.key_id }),
    persona_id: run.persona_id,
    ...(run.persona_version !== undefined && { persona_version: run.persona_version }),
    ...(run.charges && { charges: run.charges }),
  };
}

/** Returns the last two events of a run whose answer is completely stored: the full message, then `done`. */
export const finalEvents = ({
  message_id,
  content,
  finish_reason,
}: StoredMessage): [message: RunEvent, done: RunEvent] => [
  { type: "assistant_message", data: { message_id, content, final: true } },
  { type: "done", data: { message_id, block_count: content.length, ...(finish_reason && { finish_reason }) } },
];
