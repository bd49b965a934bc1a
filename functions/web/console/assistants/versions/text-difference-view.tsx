import { getLocale } from "../../lib/i18n.ts";
import { compareTexts, type DifferencePart } from "./text-difference.ts";

/** Number of characters of an unchanged passage that are shown next to a change. */
const CONTEXT_CHARACTERS = 160;

/** Shortens the middle of a long unchanged passage. */
function shorten({ kind, text }: DifferencePart, index: number, parts: readonly DifferencePart[]): string {
  if (kind !== "same" || text.length <= 3 * CONTEXT_CHARACTERS) return text;
  const start = index === 0 ? "" : text.slice(0, CONTEXT_CHARACTERS);
  const end = index === parts.length - 1 ? "" : text.slice(-CONTEXT_CHARACTERS);
  return `${start}\n…\n${end}`;
}

/** Two texts in one, with what was removed and added. */
export function TextDifference({ before, after }: { readonly before: string; readonly after: string }) {
  const parts = compareTexts(before, after, getLocale());
  return (
    <div class="difference" dir="auto">
      {parts.map((part, index) => {
        const text = shorten(part, index, parts);
        if (part.kind === "same") return <span key={index}>{text}</span>;
        return part.kind === "removed" ? <del key={index}>{text}</del> : <ins key={index}>{text}</ins>;
      })}
    </div>
  );
}
