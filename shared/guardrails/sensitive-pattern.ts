import { joinSources } from "./join-patterns.ts";
import { toPartialSource } from "./partial-pattern.ts";
import type { Cut, Span } from "./spans.ts";

/** Maximum length of the text before a match in which the cue of the match is searched. */
export const MAX_CUE_CHARACTERS = 200;

/** Format of sensitive data: one entry of the table from which whole texts and streams are redacted. */
export interface SensitiveFormat extends Pick<Span, "kind" | "category" | "score" | "isContact"> {
  /**
   * The data without the words that announce it. Two rules keep whole-text and streaming redaction equal and linear:
   * boundaries are lookarounds of one character, and no text can be matched in two ways.
   */
  readonly pattern: RegExp;
  /**
   * Cue: words that must precede the data where the pattern alone is ambiguous, and the characters that may stand
   * between the words and the data. `search` is found faster: everything that `words` matches contains a match of it.
   */
  readonly cue?: { readonly words: RegExp; readonly gap: RegExp; readonly search?: RegExp };
  /**
   * Returns the length of the valid data at the start of a match, or 0. Without this function, the whole match is
   * valid. `before` is the text before the match, at most `MAX_CUE_CHARACTERS` long.
   */
  readonly measure?: (match: string, before: string) => number;
  /** Returns the parts of a match to replace, with offsets in the match; none if the match is valid as it is. */
  readonly cut?: (match: string) => readonly Cut[];
  /** True if a match of length 0 contains no other match. The search then continues after it, which keeps the cost linear. */
  readonly isRejectedWhole?: boolean;
}

/** Format with its compiled expressions. */
export interface SensitivePattern extends SensitiveFormat {
  /** Matches the data at or after `lastIndex`. */
  readonly global: RegExp;
}

/** Format with a cue. */
interface AnnouncedPattern extends SensitivePattern {
  /** Matches a text that ends with the cue. */
  readonly before: RegExp;
  /** Matches the end of a text that may become a match when more text arrives. */
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

/** Range of offsets at which data after a cue can start. */
interface Window {
  readonly from: number;
  readonly to: number;
}

/** Returns the expression that finds the cues of all formats. */
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

const textBefore = (text: string, at: number) => text.slice(Math.max(0, at - MAX_CUE_CHARACTERS), at);

/** Yields the matches of an expression that start in the windows, each with a valid cue. */
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
    expression.lastIndex = match.index + 1;
    if (before.test(textBefore(text, match.index))) yield match;
  }
}

function* findMatches(expression: RegExp, text: string, start: number): Generator<RegExpExecArray, void> {
  expression.lastIndex = start;
  for (let match = expression.exec(text); match; match = expression.exec(text)) {
    expression.lastIndex = match.index + 1;
    yield match;
  }
}

function isFound(expression: RegExp, text: string, start: number): boolean {
  expression.lastIndex = start;
  return expression.test(text);
}

/**
 * Formats whose expressions have the same flags. One combined expression covers them all, because most texts match
 * none.
 */
class PatternGroup {
  readonly patterns: readonly SensitivePattern[];
  readonly any: RegExp;
  #anyPartial: RegExp | undefined;

  constructor(patterns: readonly SensitivePattern[], flags: string) {
    this.patterns = patterns;
    this.any = new RegExp(joinSources(this.#sources), flags);
  }

  get #sources(): string[] {
    return this.patterns.map(({ pattern }) => pattern.source);
  }

  /** Matches the end of a text that may become a match. It is derived when a text streams, because that takes several milliseconds. */
  get anyPartial(): RegExp {
    this.#anyPartial ??= new RegExp(`(?:${joinSources(this.#sources, toPartialSource)})$`, this.any.flags);
    return this.#anyPartial;
  }
}

const groupByFlags = (patterns: readonly SensitivePattern[]): PatternGroup[] =>
  Array.from(
    Map.groupBy(patterns, ({ global }) => global.flags),
    ([flags, group]) => new PatternGroup(group, flags),
  );

/** Finds sensitive data in texts, by a list of formats. */
export class SensitiveReader {
  /** Formats that need no cue. */
  readonly #groups: readonly PatternGroup[];
  readonly #announced: readonly AnnouncedPattern[];
  readonly #announcedGroups: readonly PatternGroup[];
  readonly #cues: RegExp;

  constructor(patterns: readonly (SensitivePattern | AnnouncedPattern)[]) {
    this.#groups = groupByFlags(patterns.filter(({ cue }) => !cue));
    this.#announced = patterns.filter((pattern) => "before" in pattern);
    this.#announcedGroups = groupByFlags(this.#announced);
    this.#cues = joinCues(this.#announced);
  }

  /** Finds the data that starts at or after `start`. The text before `start` serves only as context for cues. */
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
    // Data without a cue is rare and found faster than cues without data.
    if (!this.#announcedGroups.some(({ any }) => isFound(any, text, start))) return spans;
    const windows = findWindows(text, start, this.#cues);
    for (const format of this.#announced) add(format, findWithCue(format, format.global, text, windows));
    return spans;
  }

  /**
   * Returns the start, at or after `start`, of the trailing part that more text could complete to sensitive data; the
   * length of the text if there is none.
   */
  findUnfinished(text: string, start: number): number {
    let unfinished = text.length;
    for (const { anyPartial } of this.#groups) {
      anyPartial.lastIndex = start;
      unfinished = Math.min(unfinished, anyPartial.exec(text)?.index ?? unfinished);
    }
    if (this.#announced.length === 0) return unfinished;
    const windows = findWindows(text, start, this.#cues);
    for (const format of this.#announced) {
      const { value } = findWithCue(format, format.partial, text, windows).next();
      if (value) unfinished = Math.min(unfinished, value.index);
    }
    return unfinished;
  }
}
