import type { ChatMessage } from "../api/openai/openai.ts";
import { loadGuardrail } from "../guardrails/guardrail.ts";
import type { Guardrail, Stage } from "../guardrails/types.ts";
import { plainText } from "./call-options.ts";

/** How a message is looked at: people's as questions, what tools gave as something retrieved; the rest is the caller's own. */
const stages: Partial<Record<ChatMessage["role"], Stage>> = { user: "input", tool: "retrieval" };

async function checked<Message extends ChatMessage>(guardrail: Guardrail, message: Message): Promise<Message | null> {
  const stage = stages[message.role];
  const text = plainText(message.content);
  if (!stage || text === "") return message;
  const verdict = await guardrail.check({ stage, text });
  if (verdict.action === "block") return stage === "input" ? null : { ...message, content: "" };
  return verdict.action === "redact" ? { ...message, content: verdict.text } : message;
}

/** The messages as the model may see them; null where one of them is refused. Each call brings all of them, so all are checked. */
export async function checkedMessages(messages: readonly ChatMessage[]): Promise<ChatMessage[] | null> {
  const guardrail = await loadGuardrail();
  const results = await Promise.all(messages.map((message) => checked(guardrail, message)));
  return results.every((message) => message !== null) ? results : null;
}
