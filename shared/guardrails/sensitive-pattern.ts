import { joinSources } from "./join-patterns.ts";
import { toPartialSource } from "./partial-pattern.ts";
import type { Cut, Span } from "./spans.ts";

/** Maximum distance before a match, in characters, in which its cue is searched. */
export const MAX_CUE_CHARACTERS = 200;

/** Format of sensitive data, by which it is redacted in whole texts and in streams. */
export interface SensitiveFormat extends Pick<Span, "kind" | "category" | "score" | "isContact"> {
  /**
   * Expression for the data without its cue. Two rules make redaction of whole texts and streams equal and linear:
   * boundaries are lookarounds of one character, and no text can match in two ways.
   */
  readonly pattern: RegExp;
  /**
   * Cue before data whose pattern alone is ambiguous: `words` must precede the data, and `gap` matches the characters
   * between them. `search` is a faster expression that matches within every match of `words`.
   */
  readonly cue?: { readonly words: RegExp; readonly gap: RegExp; readonly search?: RegExp };
  /**
   * Returns the length of the valid data at the start of a match; 0 if there is none. Without this function, the whole
   * match is valid.
   * @param before text before the match, at most `MAX_CUE_CHARACTERS` long
   */
  readonly measure?: (match: string, before: string) => number;
  /** Returns the parts of a match to replace, with offsets in the match; empty if the match is harmless. */
  readonly cut?: (match: string) => readonly Cut[];
  /**
   * True if a rejected match (length 0) contains no other match. The search then continues after it, which keeps the
   * cost linear.
   */
  readonly isRejectedWhole?: boolean;
}

/** Format with its compiled expression. */
export interface SensitivePattern extends SensitiveFormat {
  /** Expression with the flag `g` that finds the data from `lastIndex` on. */
  readonly global: RegExp;
}

/** Format with a cue, and its compiled expressions. */
interface AnnouncedPattern extends SensitivePattern {
  /** Expression for a text that ends with the cue. */
  readonly before: RegExp;
  /** Expression for the end of a text that further text could complete to a match. */
  readonly partial: RegExp;
}

const flagsOf = ({ flags }: RegExp) => flags.replace(/[gy]/g, "");

export function compileFormat(format: SensitiveFormat): SensitivePattern | AnnouncedPattern {
  const { pattern, cue } = format;
  const flags = `${flagsOf(pattern)}g`;
  const compiled = { ...format, global: new RegExp(pattern.source, flags) };
  if (!cue) return compiled;
  return {
    ...compiled,
    partial: new RegExp(`(?:${toPartialSource(pattern.source)})$`, flags),
    before: new RegExp(`(?:${cue.words.source})(?:${cue.gap.source})$`, flagsOf(cue.words)),
  };
}

/** Range of offsets in which data after a cue can start. */
type Window = { readonly from: number; readonly to: number };

/** Returns one expression that finds the cues of all formats. */
function joinCues(patterns: readonly AnnouncedPattern[]): RegExp {
  const sources = new Set(patterns.flatMap(({ cue }) => (cue ? [`(?:${(cue.search ?? cue.words).source})`] : [])));
  const joined = [...sources].join("|") || "(?!)";
  // Matching with the flag `u` takes twice as long, so only expressions that need it have the flag.
  return new RegExp(joined, joined.includes("\\p{") ? "giu" : "gi");
}

function findWindows(text: string, start: number, cues: RegExp): Window[] {
  const windows: Window[] = [];
  cues.lastIndex = Math.max(0, start - MAX_CUE_CHARACTERS);
  for (let match = cues.exec(text); match; match = cues.exec(text)) {
    const from = Math.max(start, match.index);
    const to = match.index + MAX_CUE_CHARACTERS;
    const last = windows.at(-1);
    if (last && from <= last.to) windows[windows.length - 1] = { from: last.from, to };
    else windows.push({ from, to });
    // Cues can overlap, so the search continues just after the start of this one.
    cues.lastIndex = match.index + Math.max(1, match[0].length - 1);
  }
  return windows;
}

/** Returns the index after a character. Within a pair of surrogates, an expression with the flag `u` matches there again. */
const nextIndex = (text: string, index: number) => index + ((text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1);

const textBefore = (text: string, at: number) => text.slice(Math.max(0, at - MAX_CUE_CHARACTERS), at);

/** Yields the matches of an expression that start within the windows and follow a valid cue. */
function* findWithCue(
  { before }: AnnouncedPattern,
  expression: RegExp,
  text: string,
  windows: readonly Window[],
): Generator<RegExpExecArray, void> {
  let next = 0;
  let window = windows[0];
  expression.lastIndex = window?.from ?? 0;
  while (window) {
    const match = expression.exec(text);
    if (!match) return;
    while (window && window.to < match.index) window = windows[++next];
    if (!window) return;
    if (match.index < window.from) {
      expression.lastIndex = window.from;
      continue;
    }
    expression.lastIndex = nextIndex(text, match.index);
    if (before.test(textBefore(text, match.index))) yield match;
  }
}

function* findMatches(expression: RegExp, text: string, start: number): Generator<RegExpExecArray, void> {
  expression.lastIndex = start;
  for (let match = expression.exec(text); match; match = expression.exec(text)) {
    expression.lastIndex = nextIndex(text, match.index);
    yield match;
  }
}

function isFound(expression: RegExp, text: string, start: number): boolean {
  expression.lastIndex = start;
  return expression.test(text);
}

/** Returns true if a match of an expression can contain white space; in case of doubt, true. */
function canMatchSpace(source: string): boolean {
  const withoutOtherEscapes = source.replace(/\\[^snrtfvxuWDPp]/g, "");
  const withoutOtherClasses = withoutOtherEscapes.replace(/\[(?:[^\]^[\\ ][^\][\\ ]*)?\]/g, "");
  return /[ .[\\]/.test(withoutOtherClasses);
}

/**
 * Formats whose expressions have the same flags, and of which all or none can match white space. One combined expression
 * tests a text for all of them, because most texts match none.
 */
class PatternGroup {
  readonly patterns: readonly SensitivePattern[];
  readonly any: RegExp;
  readonly #matchesSpace: boolean;
  #anyPartial: RegExp | undefined;

  constructor(patterns: readonly [SensitivePattern, ...SensitivePattern[]]) {
    this.patterns = patterns;
    this.any = new RegExp(joinSources(this.#sources), patterns[0].global.flags);
    this.#matchesSpace = canMatchSpace(patterns[0].pattern.source);
  }

  get #sources(): string[] {
    return this.patterns.map(({ pattern }) => pattern.source);
  }

  /**
   * Expression for the end of a text that further text could complete to a match. It is only derived when a text
   * streams, because that takes several milliseconds.
   */
  get #partial(): RegExp {
    this.#anyPartial ??= new RegExp(`(?:${joinSources(this.#sources, toPartialSource)})$`, this.any.flags);
    return this.#anyPartial;
  }

  /** Returns where the end of a text begins that further text could complete to a match; undefined if there is none. */
  findUnfinished(text: string, start: number): number | undefined {
    // Without white space in its match, an unfinished one begins in the last word.
    this.#partial.lastIndex = this.#matchesSpace ? start : Math.max(start, text.lastIndexOf(" "));
    return this.#partial.exec(text)?.index;
  }
}

const toGroups = (patterns: readonly SensitivePattern[]): PatternGroup[] =>
  Array.from(
    Map.groupBy(patterns, ({ global, pattern }) => `${global.flags} ${canMatchSpace(pattern.source)}`).values(),
    (group) => new PatternGroup(group as [SensitivePattern, ...SensitivePattern[]]),
  );

/** Finds sensitive data in texts by a list of formats. */
export class SensitiveReader {
  /** Formats without a cue. */
  readonly #groups: readonly PatternGroup[];
  readonly #announced: readonly AnnouncedPattern[];
  readonly #announcedGroups: readonly PatternGroup[];
  readonly #cues: RegExp;

  constructor(patterns: readonly (SensitivePattern | AnnouncedPattern)[]) {
    this.#groups = toGroups(patterns.filter(({ cue }) => !cue));
    this.#announced = patterns.filter((pattern) => "before" in pattern);
    this.#announcedGroups = toGroups(this.#announced);
    this.#cues = joinCues(this.#announced);
  }

  /** Returns the data that starts at or after `start`. The text before `start` is only searched for cues. */
  findSpans(text: string, start = 0): Span[] {
    const spans: Span[] = [];
    const add = (format: SensitivePattern, matches: Iterable<RegExpExecArray>) => {
      const { kind, category, score, isContact, measure, cut, isRejectedWhole, global } = format;
      const span = { kind, category, score, ...(isContact && { isContact }) };
      for (const match of matches) {
        if (cut) {
          const move = (offset: number) => match.index + offset;
          const cuts = cut(match[0]).map((part) => ({ ...part, from: move(part.from), to: move(part.to) }));
          // The parts that stay can contain further matches, so the search continues at the next character.
          if (cuts.length > 0) spans.push({ ...span, from: match.index, to: move(match[0].length), cuts });
          continue;
        }
        const length = measure ? measure(match[0], textBefore(text, match.index)) : match[0].length;
        if (length === 0) {
          if (isRejectedWhole) global.lastIndex = match.index + match[0].length;
          continue;
        }
        const to = match.index + length;
        spans.push({ ...span, from: match.index, to });
        global.lastIndex = to;
      }
    };
    for (const { any, patterns } of this.#groups) {
      any.lastIndex = start;
      const first = any.exec(text);
      if (first) for (const format of patterns) add(format, findMatches(format.global, text, first.index));
    }
    const windows = findWindows(text, start, this.#cues);
    // Both are rare. Cues are found several times faster.
    if (windows.length === 0 || !this.#announcedGroups.some(({ any }) => isFound(any, text, start))) return spans;
    for (const format of this.#announced) add(format, findWithCue(format, format.global, text, windows));
    return spans;
  }

  /**
   * Returns where the end of a text begins that further text could complete to sensitive data, at or after `start`; the
   * length of the text if there is no such end.
   */
  findUnfinished(text: string, start: number): number {
    let unfinished = text.length;
    for (const group of this.#groups)
      unfinished = Math.min(unfinished, group.findUnfinished(text, start) ?? unfinished);
    if (this.#announced.length === 0) return unfinished;
    const windows = findWindows(text, start, this.#cues);
    for (const format of this.#announced) {
      const { value } = findWithCue(format, format.partial, text, windows).next();
      if (value) unfinished = Math.min(unfinished, value.index);
    }
    return unfinished;
  }
}
