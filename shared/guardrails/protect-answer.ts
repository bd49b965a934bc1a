import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { linkFormats } from "./links/link-formats.ts";
import type { PrivateText } from "./links/private-passages.ts";
import { findAddressedHosts } from "./links/read-addresses.ts";
import type { AnswerProtection } from "./streaming-redactor.ts";

interface ProtectedPrompt {
  /** Random text that marks the instructions. */
  readonly canary: string;
  /** True if the prompt contains texts of others, which may ask the model to put data into a link. */
  readonly hasUntrusted: boolean;
  /** Returns the text of the users and of the instructions, without quoted texts of others. */
  readonly trustedText: () => string;
  /** Returns the whole prompt. An answer may repeat its links. */
  readonly text: () => string;
  /** Returns the texts whose passages no link may carry to an unknown host. */
  readonly privateTexts: () => readonly PrivateText[];
}

/**
 * Returns the texts to remove from an answer: the canary, and, if the model has read texts of others or the policy removes
 * links always, links that could carry data to hosts that neither the users nor the instructions mention and the policy
 * does not allow.
 */
export function protectAnswer(
  { canary, hasUntrusted, trustedText, text, privateTexts }: ProtectedPrompt,
  { allowed_link_hosts: allowedHosts, disabled_rules, link_removal }: GuardrailPolicy,
): AnswerProtection {
  if (!hasUntrusted && link_removal !== "always") return { canary, formats: [] };
  const hosts = findAddressedHosts(trustedText());
  const known = { hosts, allowedHosts, prompt: text(), privateTexts: privateTexts() };
  return { canary, formats: linkFormats(known, disabled_rules) };
}
