import type { GuardrailCategory } from "../api/governance/guardrail-policy.ts";

/** Part of a text in which sensitive data or an unsafe link was found. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly category: GuardrailCategory;
  /** Description that replaces the part when it is redacted, such as `card number`. */
  readonly kind: string;
  /** Confidence, 0 to 1. */
  readonly score: number;
  /** True for contact details, which policies redact only if they ask for it. */
  readonly isContact?: boolean;
  /** Parts to replace instead of the whole span, such as the destination of a link without its text. */
  readonly cuts?: readonly Cut[];
}

/** Part of a text and its replacement. */
export interface Cut {
  readonly from: number;
  readonly to: number;
  readonly replacement: string;
}

/**
 * Returns the text from `start` to `end` with spans replaced by their kinds, such as `[card number]`. Where spans
 * overlap, the kind of the first one is used.
 */
export function redactSpans(text: string, spans: readonly Span[], start = 0, end = text.length): string {
  const cuts = spans.flatMap(({ from, to, kind, cuts }) => cuts ?? [{ from, to, replacement: `[${kind}]` }]);
  let result = "";
  let position = start;
  for (const { from, to, replacement } of cuts.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (from >= position) {
      // After an exclamation mark, the brackets would be the start of an image.
      const backslash = replacement.startsWith("[") && text[from - 1] === "!" ? "\\" : "";
      result += text.slice(position, from) + backslash + replacement;
    } else if (to <= position) continue;
    position = Math.max(position, to);
  }
  return result + text.slice(position, end);
}
