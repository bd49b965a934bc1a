/** A piece of a text that says something it should not. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly category: "secrets" | "personal_data";
  /** What it is: it stands in the text instead. */
  readonly kind: string;
  /** How sure it is, 0 to 1. */
  readonly score: number;
}

/** The text with these pieces replaced by their kinds: `[card number]`. Of pieces that overlap the first stands for both. */
export function redacted(text: string, spans: readonly Span[]): string {
  let result = "";
  let at = 0;
  for (const { from, to, kind } of spans.toSorted((one, other) => one.from - other.from || other.to - one.to)) {
    if (from >= at) result += `${text.slice(at, from)}[${kind}]`;
    else if (to <= at) continue;
    at = Math.max(at, to);
  }
  return result + text.slice(at);
}
