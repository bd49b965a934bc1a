import type { GuardrailCategory } from "../api/governance/guardrail-policy.ts";

/** Part of a text with a finding. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly category: GuardrailCategory;
  /** Description that replaces the text when it is redacted, such as `card number`. */
  readonly kind: string;
  /** Confidence, 0 to 1. */
  readonly score: number;
  /** True for contact details, which policies redact only on request. */
  readonly isContact?: boolean;
}

/** Replaces spans by their kinds, such as `[card number]`. Overlapping spans are replaced by the kind of the first. */
export function redactSpans(text: string, spans: readonly Span[]): string {
  let result = "";
  let position = 0;
  for (const { from, to, kind } of spans.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (from >= position) result += `${text.slice(position, from)}[${kind}]`;
    else if (to <= position) continue;
    position = Math.max(position, to);
  }
  return result + text.slice(position);
}
