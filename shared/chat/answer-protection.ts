import { protectAnswer } from "../guardrails/protect-answer.ts";
import type { AnswerProtection } from "../guardrails/streaming-redactor.ts";
import { promptText } from "../models/prompt-text.ts";
import { withoutQuotations } from "./prompt.ts";
import type { Turn } from "./turn.ts";

/** Returns the texts to remove from the answer of a turn. */
export function answerProtection({ canary, prompt, guardrails }: Turn): AnswerProtection {
  const trustedMessages = prompt.filter(({ role }) => role === "user" || role === "system");
  const trustedText = withoutQuotations(promptText(trustedMessages));
  return protectAnswer({ canary, trustedText, text: promptText(prompt) }, guardrails);
}
