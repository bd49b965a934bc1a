/** Part of a text that two versions share, or that only one of them has. */
export interface DifferencePart {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Maximum number of pairs of lines or words that are compared. Beyond it, a passage counts as replaced as a whole. */
const MAX_PAIRS = 4_000_000;

/** Lengths of the longest common subsequences of the rests of two lists, by the positions where the rests begin. */
function measureRests(before: readonly string[], after: readonly string[]): (from: number, to: number) => number {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (from: number, to: number) => lengths[from * width + to] ?? 0;
  for (let from = before.length - 1; from >= 0; from--) {
    for (let to = after.length - 1; to >= 0; to--) {
      lengths[from * width + to] =
        before[from] === after[to] ? at(from + 1, to + 1) + 1 : Math.max(at(from + 1, to), at(from, to + 1));
    }
  }
  return at;
}

/** Returns the parts of two lists of lines or words, each entry on its own. Removed entries precede added ones. */
function alignParts(before: readonly string[], after: readonly string[]): DifferencePart[] {
  const toParts = (kind: DifferencePart["kind"], texts: readonly string[]) => texts.map((text) => ({ kind, text }));
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const [old, current] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const parts = toParts("same", before.slice(0, start));
  let [from, to] = [0, 0];
  if (old.length * current.length <= MAX_PAIRS) {
    const lengthAt = measureRests(old, current);
    while (from < old.length && to < current.length) {
      if (old[from] === current[to]) {
        parts.push({ kind: "same", text: old[from++] as string });
        to++;
      } else if (lengthAt(from + 1, to) >= lengthAt(from, to + 1)) {
        parts.push({ kind: "removed", text: old[from++] as string });
      } else parts.push({ kind: "added", text: current[to++] as string });
    }
  }
  parts.push(...toParts("removed", old.slice(from)), ...toParts("added", current.slice(to)));
  return [...parts, ...toParts("same", end > 0 ? before.slice(-end) : [])];
}

/** Joins neighbors of one kind. */
function joinParts(parts: readonly DifferencePart[]): DifferencePart[] {
  const joined: DifferencePart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last?.kind === part.kind) joined[joined.length - 1] = { ...last, text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

const toLines = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

/**
 * Compares two texts by lines, and changed lines by words.
 * @param locale language whose words are told apart
 */
export function compareTexts(before: string, after: string, locale: string): DifferencePart[] {
  const segmenter = new Intl.Segmenter(locale, { granularity: "word" });
  const toWords = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment);
  const parts: DifferencePart[] = [];
  let [removed, added] = ["", ""];
  const compareWords = () => {
    parts.push(...alignParts(toWords(removed), toWords(added)));
    [removed, added] = ["", ""];
  };
  for (const part of alignParts(toLines(before), toLines(after))) {
    if (part.kind === "removed") removed += part.text;
    else if (part.kind === "added") added += part.text;
    else {
      compareWords();
      parts.push(part);
    }
  }
  compareWords();
  return joinParts(parts);
}
