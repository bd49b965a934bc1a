import { toHtmlSegments } from "../../files/segments/html-segments.ts";
import { toMarkdownSegments } from "../../files/segments/markdown-segments.ts";
import { toMarkdownTable } from "../../files/segments/markdown-table.ts";
import { type Segment, toPlainSegments } from "../../files/segments/segments.ts";
import { type DocumentPassage, joinParts, type PassagePart, slicePart } from "./passage-parts.ts";

export type MediaType = "text/plain" | "text/markdown" | "text/html";

/** Maximum length of a passage in UTF-16 code units, about 300 English words. Code may be longer. */
const MAX_PASSAGE_LENGTH = 2_000;
/** Minimum length from which a heading starts a new passage. */
const MIN_PASSAGE_LENGTH = 600;
/** Maximum length of code that is not split. */
const MAX_CODE_LENGTH = 6_000;
/** Maximum length of the end of the previous passage that a passage repeats. */
const MAX_OVERLAP_LENGTH = 200;

const parsers: Readonly<Record<MediaType, (text: string) => Segment[]>> = {
  "text/plain": toPlainSegments,
  "text/markdown": toMarkdownSegments,
  "text/html": toHtmlSegments,
};

/**
 * Matches the end of a sentence or line. It matches a run of marks as a whole, because matching from each mark would
 * take quadratic time.
 */
const sentenceEnd = /[.!?…]["'”’)\]]*\s+|[。！？]+|\n+/gu;

function findSentenceEnds(text: string): number[] {
  return [...text.matchAll(sentenceEnd)].map(({ 0: mark, index }) => index + mark.length);
}

/**
 * Returns a position of at most `limit` at which to split a text: after a nearby word if there is one, and never inside
 * a surrogate pair.
 */
function findSplit(text: string, limit: number): number {
  const space = text.lastIndexOf(" ", limit);
  if (space > limit - MAX_OVERLAP_LENGTH) return space + 1;
  return /[\udc00-\udfff]/.test(text[limit] ?? "") ? limit - 1 : limit;
}

/**
 * Returns start and end of the windows into which a text is split that is longer than a passage. They overlap by whole
 * sentences if possible.
 */
function findWindows(text: string): [number, number][] {
  const ends = findSentenceEnds(text);
  const windows: [number, number][] = [];
  let start = 0;
  let nextEnd = 0;
  while (text.length - start > MAX_PASSAGE_LENGTH) {
    const limit = start + MAX_PASSAGE_LENGTH;
    while ((ends[nextEnd] ?? limit) <= start) nextEnd++;
    // Only the ends that can lie in the window are filtered, because a long text has many ends.
    const endsInWindow = ends.slice(nextEnd, nextEnd + MAX_PASSAGE_LENGTH).filter((end) => end <= limit);
    const end = endsInWindow.findLast((end) => end > start + MAX_OVERLAP_LENGTH) ?? findSplit(text, limit);
    windows.push([start, end]);
    start = endsInWindow.find((candidate) => candidate >= end - MAX_OVERLAP_LENGTH && candidate < end) ?? end;
  }
  return [...windows, [start, text.length]];
}

const splitIntoWindows = (text: string) => findWindows(text).map(([start, end]) => text.slice(start, end));

/**
 * Returns the last sentences of a paragraph, which the next passage may repeat; undefined if there are none of at most
 * `MAX_OVERLAP_LENGTH`.
 */
function findOverlap(part: PassagePart | undefined): PassagePart | undefined {
  const { text } = part ?? { text: "" };
  const start = findSentenceEnds(text).find((end) => end >= text.length - MAX_OVERLAP_LENGTH && end < text.length);
  return part && start !== undefined ? slicePart(part, start) : undefined;
}

/** Splits code at line ends if it is longer than `MAX_CODE_LENGTH`. */
function splitCode(code: string): string[] {
  if (code.length <= MAX_CODE_LENGTH) return [code];
  const parts: string[] = [];
  let part = "";
  for (const line of code
    .split("\n")
    .flatMap((line) => (line.length > MAX_CODE_LENGTH ? splitIntoWindows(line) : [line]))) {
    if (part && part.length + line.length > MAX_CODE_LENGTH) {
      parts.push(part);
      part = "";
    }
    part += part ? `\n${line}` : line;
  }
  return [...parts, part];
}

/** Builds passages from the segments of a document, in order. */
class PassageBuilder {
  readonly passages: DocumentPassage[] = [];
  #parts: PassagePart[] = [];
  #length = 0;
  #headings: { level: number; title: string }[] = [];
  /** Headings above the start of the current passage. */
  #passageHeadings = "";
  /** Page of the segment that is currently added. */
  #page: number | undefined;
  #passagePage: number | undefined;
  /** Previous paragraph, the end of which the next passage may repeat. */
  #previousParagraph: PassagePart | undefined;

  add(segment: Segment): void {
    this.#page = segment.page;
    if (segment.kind === "heading") this.#addHeading(segment);
    else if (segment.kind === "code") this.#addCode(segment);
    else if (segment.kind === "table") this.#addTable(segment);
    else this.#addText(segment);
  }

  #addHeading({ level, title, text }: Segment & { kind: "heading" }): void {
    if (this.#length > MIN_PASSAGE_LENGTH) this.#finishPassage();
    this.#headings = [...this.#headings.filter((outer) => outer.level < level), { level, title }];
    if (text !== "") this.#append(this.#toPart(text.slice(0, MAX_PASSAGE_LENGTH)));
  }

  #addText({ text, pageBreaks = [] }: Segment & { kind: "text" }): void {
    const whole = { ...this.#toPart(text), pageBreaks };
    const ranges = text.length > MAX_PASSAGE_LENGTH ? findWindows(text) : [[0, text.length] as const];
    const windows = ranges.map(([start, end]) => slicePart(whole, start, end));
    for (const [index, window] of windows.entries()) {
      const overlap = index === 0 ? findOverlap(this.#previousParagraph) : undefined;
      if (this.#length + window.text.length > MAX_PASSAGE_LENGTH) {
        this.#finishPassage();
        if (overlap && overlap.text.length + window.text.length <= MAX_PASSAGE_LENGTH) this.#append(overlap);
      }
      this.#append(window);
    }
    this.#previousParagraph = windows.at(-1);
  }

  /** Adds a table in parts, each with the header, so that every passage names its columns. */
  #addTable({ rows }: Segment & { kind: "table" }): void {
    const table = toMarkdownTable(rows);
    const header = table.header.length < MAX_PASSAGE_LENGTH / 2 ? table.header : "";
    let part = table.header;
    const finishPart = () => {
      const isWhole = part.length <= MAX_PASSAGE_LENGTH;
      if (isWhole && this.#length + part.length > MAX_PASSAGE_LENGTH) this.#finishPassage();
      if (isWhole) this.#append(this.#toPart(part));
      else this.#addText({ kind: "text", text: part });
    };
    for (const row of table.rows) {
      if (part.length + row.length + 1 > MAX_PASSAGE_LENGTH && part !== header) {
        finishPart();
        part = header;
      }
      part += part === "" ? row : `\n${row}`;
    }
    finishPart();
  }

  #addCode({ text }: Segment & { kind: "code" }): void {
    for (const part of splitCode(text)) {
      if (this.#length + part.length > MAX_PASSAGE_LENGTH) this.#finishPassage();
      this.#append(this.#toPart(part));
    }
  }

  finish(): readonly DocumentPassage[] {
    this.#finishPassage();
    return this.passages;
  }

  #toPart(text: string): PassagePart {
    const headings = this.#headings.map(({ title }) => title).join(" › ");
    return { text, headings: headings.slice(0, MAX_PASSAGE_LENGTH), page: this.#page, pageBreaks: [] };
  }

  #append(part: PassagePart): void {
    this.#previousParagraph = undefined;
    if (this.#parts.length === 0) {
      this.#passageHeadings = this.#toPart("").headings;
      this.#passagePage = part.page;
    }
    this.#parts.push(part);
    this.#length += part.text.length;
  }

  #finishPassage(): void {
    const page = this.#passagePage;
    const passage = joinParts({ headings: this.#passageHeadings, ...(page !== undefined && { page }) }, this.#parts);
    if (passage.text !== "") this.passages.push(passage);
    this.#parts = [];
    this.#length = 0;
  }
}

export function parseSegments(text: string, mediaType: MediaType): Segment[] {
  return parsers[mediaType](text.replace(/\r\n?/g, "\n"));
}

/**
 * Splits a document into passages along its structure: headings start new passages, paragraphs and code stay whole if
 * possible, and parts of long texts overlap. It is deterministic, because passages are removed from the index by
 * splitting the text again.
 */
export function splitSegments(segments: readonly Segment[]): readonly DocumentPassage[] {
  const builder = new PassageBuilder();
  for (const segment of segments) builder.add(segment);
  return builder.finish();
}

export function splitIntoPassages(text: string, mediaType: MediaType): readonly DocumentPassage[] {
  return splitSegments(parseSegments(text, mediaType));
}
