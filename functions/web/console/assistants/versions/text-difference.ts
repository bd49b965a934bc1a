import { diffArrays } from "diff";

/** Part of a text that two versions share, or that only one of them has. */
export interface DifferencePart {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Maximum number of changed lines or words. Beyond it, a passage counts as replaced as a whole. */
const MAX_EDITS = 2_000;

/** Compares two lists of lines or words. Removed parts precede added ones. */
function compareLists(before: readonly string[], after: readonly string[]): DifferencePart[] {
  const replaced = [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return (diffArrays([...before], [...after], { maxEditLength: MAX_EDITS }) ?? replaced)
    .map(({ value, added, removed }): DifferencePart => {
      const kind = added ? "added" : removed ? "removed" : "same";
      return { kind, text: value.join("") };
    })
    .filter(({ text }) => text !== "");
}

const toLines = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

/**
 * Compares two texts by lines, and changed lines by words.
 * @param locale language whose words are told apart
 */
export function compareTexts(before: string, after: string, locale: string): DifferencePart[] {
  const segmenter = new Intl.Segmenter(locale, { granularity: "word" });
  const toWords = (text = "") => Array.from(segmenter.segment(text), ({ segment }) => segment);
  const lines = compareLists(toLines(before), toLines(after));
  return lines.flatMap((part, index) => {
    const next = lines[index + 1];
    if (part.kind === "removed" && next?.kind === "added") return compareLists(toWords(part.text), toWords(next.text));
    const isCompared = part.kind === "added" && lines[index - 1]?.kind === "removed";
    return isCompared ? [] : [part];
  });
}
