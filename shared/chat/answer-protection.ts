import { exfiltrationFormats, findHosts } from "../guardrails/exfiltration.ts";
import type { AnswerProtection } from "../guardrails/streaming-redactor.ts";
import { promptText } from "../models/prompt-text.ts";
import { withoutQuotations } from "./prompt.ts";
import type { Turn } from "./turn.ts";

/**
 * Returns the texts to remove from the answer of a turn: the canary that marks the instructions, and links that carry
 * data to hosts that neither the user nor the instructions mention and the policy does not allow. Mentions in quoted
 * text do not count.
 */
export function answerProtection(turn: Turn): AnswerProtection {
  const trustedMessages = turn.prompt.filter(({ role }) => role === "user" || role === "system");
  const hosts = findHosts(withoutQuotations(promptText(trustedMessages)));
  const allText = promptText(turn.prompt);
  return {
    canary: turn.canary,
    formats: exfiltrationFormats({
      hosts,
      disabledRules: turn.guardrails.disabled_rules,
      allowedHosts: turn.guardrails.allowed_link_hosts,
      isInPrompt: (url) => allText.includes(url),
    }),
  };
}
