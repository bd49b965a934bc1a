import type { GuardrailPlace, GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import type { ChatMessage } from "../api/openai/openai.ts";
import { loadGuardrail } from "../guardrails/guardrail.ts";
import type { Guardrail, Stage } from "../guardrails/types.ts";
import { plainText, replaceText } from "./content-parts.ts";

interface Check {
  readonly stage: Stage;
  readonly place: GuardrailPlace;
}

const toolResult: Check = { stage: "retrieval", place: "tool_result" };

/** Check by role. System and assistant messages are not checked: they come from the calling application. */
const checks: Partial<Record<ChatMessage["role"], Check>> = {
  user: { stage: "input", place: "program" },
  tool: toolResult,
  function: toolResult,
};

async function checkMessage(guardrail: Guardrail, message: ChatMessage): Promise<ChatMessage | null> {
  const check = checks[message.role];
  const text = plainText(message.content);
  if (!check || text === "") return message;
  const verdict = await guardrail.check({ ...check, text });
  if (verdict.action === "allow") return message;
  if (verdict.action === "block" && check.stage === "input") return null;
  const replacement = verdict.action === "block" ? "" : verdict.text;
  return { ...message, content: replaceText(message.content, replacement) } as ChatMessage;
}

/**
 * Checks all messages of a request, because each request repeats the whole conversation.
 * @returns the messages that the model may see, or null if one is blocked
 */
export async function checkMessages(
  messages: readonly ChatMessage[],
  policy: GuardrailPolicy,
): Promise<ChatMessage[] | null> {
  const guardrail = await loadGuardrail(policy);
  const results = await Promise.all(messages.map((message) => checkMessage(guardrail, message)));
  return results.every((message) => message !== null) ? results : null;
}
