import type { Message } from "../../api/messages.ts";
import { addMessage, type StoredMessage } from "../../data/message-store.ts";
import { blocksOf } from "../blocks.ts";
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
  const generated = turn.text.length > 0 || turn.usage !== undefined;
  return addMessage(turn.principal, {
    message_id: turn.messageId,
    conversation_id: turn.conversation.id,
    role: "assistant",
    content: blocksOf(turn.text),
    status,
    parent_id: turn.question.parent_id,
    author_id: null,
    tier: turn.tier,
    model: turn.modelId,
    usage: generated ? usageOf(turn.modelId, turn.usage, { input: promptText(turn), output: turn.text }) : null,
    alert: null,
    created_at: turn.createdAt,
    edited_at: null,
  });
}

/** The answer is whole: it is shown as blocks, counted and stored. */
export const commit: Phase = {
  name: "commit",
  async *run(turn) {
    const { content, usage } = await storeAnswer(turn, "complete");
    yield { type: "assistant_message", data: { message_id: turn.messageId, content, final: true } };
    if (usage) yield { type: "swtoken_update", data: usage };
  },
};
