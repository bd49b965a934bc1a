import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { recentMessages, type StoredMessage } from "../../data/message-store.ts";
import { markdownOf } from "../blocks.ts";
import { loadModel } from "../models/model.ts";
import type { Phase } from "../turn.ts";

/** Messages of a conversation that reach the model at most, and characters of them. */
const historyMessages = 40;
const historyCharacters = 48_000;

const instructions =
  "You are a helpful assistant. Answer in the language of the question, in Markdown, and say so when you do not know.";

/** Newest messages first until the budget is used up, given back oldest first. */
function withinBudget(messages: readonly StoredMessage[]): { kept: StoredMessage[]; trimmed: boolean } {
  let characters = 0;
  const kept: StoredMessage[] = [];
  for (const message of messages.toReversed()) {
    characters += markdownOf(message.content).length;
    if (kept.length > 0 && characters > historyCharacters) return { kept: kept.reverse(), trimmed: true };
    kept.push(message);
  }
  return { kept: kept.reverse(), trimmed: false };
}

function promptMessage(message: StoredMessage): LanguageModelV4Message {
  const text = markdownOf(message.content);
  return message.role === "assistant"
    ? { role: "assistant", content: [{ type: "text", text }] }
    : { role: "user", content: [{ type: "text", text }] };
}

/** Gets ready what the model needs: itself, and a bounded part of the conversation so far. */
export const preflight: Phase = {
  name: "preflight",
  async *run(turn) {
    const [model, recent] = await Promise.all([
      loadModel(turn.run.model),
      recentMessages(turn.principal, turn.conversation.id, historyMessages),
    ]);
    const before = recent.filter(
      ({ message_id, content }) => message_id < turn.question.message_id && content.length > 0,
    );
    const { kept, trimmed } = withinBudget([...before, turn.question]);
    turn.model = model;
    turn.prompt = [{ role: "system", content: instructions }, ...kept.map(promptMessage)];
    if (trimmed || recent.length === historyMessages) {
      yield {
        type: "preflight_warning",
        data: { code: "history_trimmed", message: "Only the latest part of the conversation is taken into account." },
      };
    }
  },
};
