import type { Message } from "../../api/messages.ts";
import { addMessage, type StoredMessage } from "../../data/message-store.ts";
import { blocksOf } from "../blocks.ts";
import { citationsOf } from "../citations.ts";
import { RunEnded } from "../end-reason.ts";
import { usageOf } from "../models/tokens.ts";
import { promptText } from "../prompt.ts";
import type { Phase, Turn } from "../turn.ts";

/** Stores the answer as it stands, once: whoever stores first decides what the answer is. */
export async function storeAnswer(turn: Turn, status: Exclude<Message["status"], "streaming">): Promise<StoredMessage> {
  const { run, text, sources, extras, modelId } = turn;
  const generated = !turn.settled && (text.length > 0 || turn.usage !== undefined);
  const texts = () => ({ input: promptText(turn.prompt), output: text });
  return addMessage(turn.principal, {
    message_id: run.message_id,
    conversation_id: run.conversation_id,
    role: "assistant",
    content: [...blocksOf(text), ...citationsOf(text, sources), ...extras],
    status,
    parent_id: run.parent_id,
    author_id: null,
    tier: run.tier,
    model: modelId,
    usage: generated ? usageOf(modelId, turn.usage, texts()) : null,
    alert: null,
    created_at: run.created_at,
    edited_at: null,
    question_id: run.user_message_id,
    asked_by: run.user_id,
    persona_id: run.persona_id,
  });
}

/** The answer is whole: it is stored, shown as blocks and counted. */
export const commit: Phase = {
  name: "commit",
  async *run(turn) {
    const { content, usage, status } = await storeAnswer(turn, "complete");
    // Somebody thought this run dead and stored what there was: that is the answer now.
    if (status !== "complete") throw new RunEnded("shutdown");
    yield { type: "assistant_message", data: { message_id: turn.run.message_id, content, final: true } };
    if (usage) yield { type: "swtoken_update", data: usage };
  },
};
