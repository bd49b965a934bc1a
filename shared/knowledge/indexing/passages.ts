import { htmlPieces } from "./html-segments.ts";
import { markdownPieces } from "./markdown-segments.ts";
import { type Piece, plainPieces } from "./segments.ts";

/** A part of a document that is found and quoted as a whole. */
export interface Passage {
  readonly text: string;
  /** Headings it stands under, outermost first, as one text. */
  readonly headings: string;
}

/** How a document is written. */
export type MediaType = "text/plain" | "text/markdown" | "text/html";

/** Passages are filled up to this many UTF-16 units; about 300 English words. */
const fullPassage = 2_000;
/** A heading does not begin a passage of its own while the one before it is shorter than this. */
const shortPassage = 600;
/** Code is kept whole up to this many units. */
const longestCode = 6_000;
/** What a passage repeats of the one before it, at most. */
const overlap = 200;

const reading: Readonly<Record<MediaType, (text: string) => Piece[]>> = {
  "text/plain": plainPieces,
  "text/markdown": markdownPieces,
  "text/html": htmlPieces,
};

/** Where sentences end; lines end them too. Only the last of several marks is looked for: a run of them must not be gone through again from each. */
const sentenceEnd = /[.!?…]["'”’)\]]*\s+|[。！？]+|\n+/gu;

function sentenceEnds(text: string): number[] {
  return [...text.matchAll(sentenceEnd)].map(({ 0: mark, index }) => index + mark.length);
}

/** A place to cut at or before `at` that does not split a character, nor a word if one ends in reach. */
function cutBefore(text: string, at: number): number {
  const space = text.lastIndexOf(" ", at);
  if (space > at - overlap) return space + 1;
  return /[\udc00-\udfff]/.test(text[at] ?? "") ? at - 1 : at;
}

/** A text that is too long for one passage, in windows that overlap by whole sentences where there are any. */
function windowsOf(text: string): string[] {
  const ends = sentenceEnds(text);
  const windows: string[] = [];
  let start = 0;
  let passed = 0;
  while (text.length - start > fullPassage) {
    const limit = start + fullPassage;
    while ((ends[passed] ?? limit) <= start) passed++;
    // Of all the ends only those in reach: a long text has many.
    const near = ends.slice(passed, passed + fullPassage).filter((place) => place <= limit);
    const end = near.findLast((place) => place > start + overlap) ?? cutBefore(text, limit);
    windows.push(text.slice(start, end));
    start = near.find((place) => place >= end - overlap && place < end) ?? end;
  }
  return [...windows, text.slice(start)];
}

/** The last sentences of a text, as far as a passage may repeat them. */
function tailOf(text: string): string {
  const start = sentenceEnds(text).find((place) => place >= text.length - overlap && place < text.length);
  return start === undefined ? "" : text.slice(start);
}

/** Code in parts of whole lines, where it is too long to be kept whole. */
function codeParts(code: string): string[] {
  if (code.length <= longestCode) return [code];
  const parts: string[] = [];
  let part = "";
  for (const line of code.split("\n").flatMap((line) => (line.length > longestCode ? windowsOf(line) : [line]))) {
    if (part && part.length + line.length > longestCode) {
      parts.push(part);
      part = "";
    }
    part += part ? `\n${line}` : line;
  }
  return [...parts, part];
}

/** Fills passages with pieces, one after the other. */
class Filling {
  readonly passages: Passage[] = [];
  #texts: string[] = [];
  #length = 0;
  #headings: { level: number; title: string }[] = [];
  #standsUnder = "";
  /** The paragraph just before, whose end the next passage may repeat. */
  #paragraph = "";

  heading({ level, title, text }: Piece & { kind: "heading" }): void {
    if (this.#length > shortPassage) this.#finish();
    this.#headings = [...this.#headings.filter((outer) => outer.level < level), { level, title }];
    this.#put(text.slice(0, fullPassage));
  }

  text({ text }: Piece): void {
    const windows = text.length > fullPassage ? windowsOf(text) : [text];
    for (const [index, window] of windows.entries()) {
      const repeated = index === 0 ? tailOf(this.#paragraph) : "";
      if (this.#length + window.length > fullPassage) {
        this.#finish();
        if (repeated && repeated.length + window.length <= fullPassage) this.#put(repeated);
      }
      this.#put(window);
    }
    this.#paragraph = windows.at(-1) ?? "";
  }

  code({ text }: Piece): void {
    for (const part of codeParts(text)) {
      if (this.#length + part.length > fullPassage) this.#finish();
      this.#put(part);
    }
  }

  end(): readonly Passage[] {
    this.#finish();
    return this.passages;
  }

  #put(text: string): void {
    this.#paragraph = "";
    if (this.#texts.length === 0) this.#standsUnder = this.#headings.map(({ title }) => title).join(" › ");
    this.#texts.push(text);
    this.#length += text.length;
  }

  #finish(): void {
    const text = this.#texts.join("\n\n").trim();
    if (text !== "") this.passages.push({ text, headings: this.#standsUnder.slice(0, fullPassage) });
    this.#texts = [];
    this.#length = 0;
  }
}

/**
 * Cuts a document into passages along its structure: headings begin them, paragraphs and code stay whole as far as
 * possible, and what has to be cut overlaps. The same text always gives the same passages.
 */
export function passagesOf(text: string, mediaType: MediaType): readonly Passage[] {
  const filling = new Filling();
  for (const piece of reading[mediaType](text.replace(/\r\n?/g, "\n"))) {
    if (piece.kind === "heading") filling.heading(piece);
    else filling[piece.kind](piece);
  }
  return filling.end();
}
