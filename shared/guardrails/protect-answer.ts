import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { linkFormats } from "./links/link-formats.ts";
import type { PrivateText } from "./links/private-passages.ts";
import { findAddressedHosts } from "./links/read-addresses.ts";
import type { AnswerProtection } from "./streaming-redactor.ts";

interface ProtectedPrompt {
  /** Random text in the instructions, by which an answer that repeats them is recognized. */
  readonly canary: string;
  /**
   * True if the prompt contains untrusted texts, such as sources and tool results, which may ask the model to put data
   * into a link.
   */
  readonly hasUntrusted: boolean;
  /** Returns the messages of users and the instructions, without untrusted texts. */
  readonly trustedText: () => string;
  /** Returns the whole prompt. An answer may repeat its URLs. */
  readonly text: () => string;
  /** Returns the texts of which no URL may contain passages. */
  readonly privateTexts: () => readonly PrivateText[];
}

/**
 * Returns the protection of an answer: the canary, and formats of unsafe links. Links are unsafe if they could send
 * data to hosts that neither the users nor the instructions mention and the policy does not allow. They are only
 * removed, by `StreamingRedactor`, if the model has read untrusted texts or `link_removal` is `always`.
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
