import type { GuardrailPlace, GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import type { ChatMessage } from "../api/openai/openai.ts";
import { loadGuardrail } from "../guardrails/guardrail.ts";
import { removeInvisible } from "../guardrails/sanitize-untrusted.ts";
import type { Guardrail, Stage } from "../guardrails/types.ts";
import { plainText, replaceText } from "./content-parts.ts";

interface Check {
  readonly stage: Stage;
  readonly place: GuardrailPlace;
}

const toolResult: Check = { stage: "retrieval", place: "tool_result" };

/**
 * Guardrail check of a message, by its role. System and assistant messages are not checked: they come from the calling
 * application.
 */
const checks: Partial<Record<ChatMessage["role"], Check>> = {
  user: { stage: "input", place: "program" },
  tool: toolResult,
  function: toolResult,
};

/** Result of checking one message. */
interface CheckedMessage {
  readonly message: ChatMessage | null;
  /** True if the check of a user's message finds the category `self_harm`. */
  readonly isInCrisis: boolean;
}

async function checkMessage(guardrail: Guardrail, message: ChatMessage): Promise<CheckedMessage> {
  const check = checks[message.role];
  const received = plainText(message.content);
  if (!check || received === "") return { message, isInCrisis: false };
  const text = check === toolResult ? removeInvisible(received) : received;
  const verdict = await guardrail.check({ ...check, text });
  const isInCrisis = check.stage === "input" && verdict.categories.some(({ category }) => category === "self_harm");
  if (verdict.action === "block" && check.stage === "input") return { message: null, isInCrisis };
  const replacement = verdict.action === "block" ? "" : verdict.text;
  if (replacement === received) return { message, isInCrisis };
  return { message: { ...message, content: replaceText(message.content, replacement) } as ChatMessage, isInCrisis };
}

/** Messages of a request that passed the guardrail, with redacted text. */
interface CheckedMessages {
  readonly messages: ChatMessage[];
  /** True if the check of the latest user message finds the category `self_harm`. */
  readonly isInCrisis: boolean;
}

/**
 * Checks all messages of a request with the guardrail, because each request repeats the whole conversation. Invisible
 * characters are removed from tool results. A blocked tool result becomes empty.
 * @returns null if a user message is blocked
 */
export async function checkMessages(
  messages: readonly ChatMessage[],
  policy: GuardrailPolicy,
): Promise<CheckedMessages | null> {
  const guardrail = await loadGuardrail(policy);
  const results = await Promise.all(messages.map((message) => checkMessage(guardrail, message)));
  const allowed = results.map(({ message }) => message).filter((message) => message !== null);
  if (allowed.length < results.length) return null;
  const isInCrisis = results.findLast(({ message }) => message?.role === "user")?.isInCrisis ?? false;
  return { messages: allowed, isInCrisis };
}
