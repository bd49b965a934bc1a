import type { ChatMessage } from "../api/openai/openai.ts";
import { loadGuardrail } from "../guardrails/guardrail.ts";
import type { Guardrail, Stage } from "../guardrails/types.ts";
import { plainText } from "./call-options.ts";

/** Guardrail stage by role. System and assistant messages are not checked: they come from the calling application. */
const stages: Partial<Record<ChatMessage["role"], Stage>> = { user: "input", tool: "retrieval" };

async function checkMessage<Message extends ChatMessage>(
  guardrail: Guardrail,
  message: Message,
): Promise<Message | null> {
  const stage = stages[message.role];
  const text = plainText(message.content);
  if (!stage || text === "") return message;
  const verdict = await guardrail.check({ stage, text });
  if (verdict.action === "block") return stage === "input" ? null : { ...message, content: "" };
  return verdict.action === "redact" ? { ...message, content: verdict.text } : message;
}

/**
 * Checks all messages of a request, because each request repeats the whole conversation.
 * @returns the messages that the model may see, or null if one is blocked
 */
export async function checkMessages(messages: readonly ChatMessage[]): Promise<ChatMessage[] | null> {
  const guardrail = await loadGuardrail();
  const results = await Promise.all(messages.map((message) => checkMessage(guardrail, message)));
  return results.every((message) => message !== null) ? results : null;
}
