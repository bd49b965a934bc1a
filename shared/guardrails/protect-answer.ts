import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { exfiltrationFormats, findHosts } from "./exfiltration.ts";
import type { AnswerProtection } from "./streaming-redactor.ts";

/** Prompt of an answer that is protected. */
interface ProtectedPrompt {
  /** Random text that marks the instructions. */
  readonly canary: string;
  /** Text of the users and of the instructions, without quoted texts of others. */
  readonly trustedText: string;
  /** The whole prompt. An answer may repeat its links. */
  readonly text: string;
}

/**
 * Returns the texts to remove from an answer: the canary, and links that carry data to hosts that neither the users nor the instructions
 * mention and the policy does not allow.
 */
export const protectAnswer = (
  { canary, trustedText, text }: ProtectedPrompt,
  { allowed_link_hosts, disabled_rules }: GuardrailPolicy,
): AnswerProtection => ({
  canary,
  formats: exfiltrationFormats({
    hosts: findHosts(trustedText),
    allowedHosts: allowed_link_hosts,
    isInPrompt: (url) => text.includes(url),
    disabledRules: disabled_rules,
  }),
});
