import type { Message } from "../../api/messages.ts";
import { addMessage, type StoredMessage } from "../../data/message-store.ts";
import { blocksOf } from "../blocks.ts";
import { RunEnded } from "../end-reason.ts";
import { usageOf } from "../models/tokens.ts";
import type { Phase, Turn } from "../turn.ts";

function promptText({ prompt }: Turn): string {
  return prompt
    .map(({ content }) =>
      typeof content === "string" ? content : content.map((part) => ("text" in part ? part.text : "")).join(""),
    )
    .join("\n");
}

/** Stores the answer as it stands, once: whoever stores first decides what the answer is. */
export async function storeAnswer(turn: Turn, status: Exclude<Message["status"], "streaming">): Promise<StoredMessage> {
  const { run } = turn;
  const generated = turn.text.length > 0 || turn.usage !== undefined;
  return addMessage(turn.principal, {
    message_id: run.message_id,
    conversation_id: run.conversation_id,
    role: "assistant",
    content: blocksOf(turn.text),
    status,
    parent_id: run.parent_id,
    author_id: null,
    tier: run.tier,
    model: run.model,
    usage: generated ? usageOf(run.model, turn.usage, { input: promptText(turn), output: turn.text }) : null,
    alert: null,
    created_at: run.created_at,
    edited_at: null,
    question_id: run.user_message_id,
  });
}

/** The answer is whole: it is shown as blocks, counted and stored. */
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
