import type { Message } from "../../api/conversations/messages.ts";
import { blocksOf } from "../../conversations/blocks.ts";
import { addMessage, type StoredMessage } from "../../conversations/message-store.ts";
import { promptText } from "../../models/prompt-text.ts";
import { usageOf } from "../../models/tokens.ts";
import { answerMessage } from "../../runs/answer-message.ts";
import { RunEnded } from "../../runs/end-reason.ts";
import { citationsOf } from "../citations.ts";
import type { Phase, Turn } from "../turn.ts";

/** Stores the answer as it stands, once: whoever stores first decides what the answer is. */
export async function storeAnswer(turn: Turn, status: Exclude<Message["status"], "streaming">): Promise<StoredMessage> {
  const { run, text, sources, extras, modelId } = turn;
  const generated = !turn.settled && (text.length > 0 || turn.usage !== undefined);
  const texts = () => ({ input: promptText(turn.prompt), output: text });
  return addMessage(
    turn.principal,
    answerMessage(run, {
      content: [...blocksOf(text), ...citationsOf(text, sources), ...extras],
      status,
      model: modelId,
      usage: generated ? usageOf(modelId, turn.usage, texts()) : null,
    }),
  );
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
