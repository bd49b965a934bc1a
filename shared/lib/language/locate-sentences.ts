import { lazily } from "../lazily.ts";

/** Part of a text, in UTF-16 code units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** The rules for the end of a sentence apply to all languages. */
const getSegmenter = lazily(() => new Intl.Segmenter("en", { granularity: "sentence" }));

/** Minimum length of a line that continues in the next one, in UTF-16 code units and as a share of the longest line. */
const MIN_FULL_LINE_LENGTH = 40;
const MIN_FULL_LINE_SHARE = 0.6;

/** Marker of a list item or quotation. */
const marker = /^\s*(?:(?:[-*+•▪‣◦·–—>]|\(?(?:\d{1,3}|\p{L})[.)])\s+)+/u;

/** Start of a line that does not continue the line before. */
const ownLine = /^\s*(?:[|#]|(?:[-*+•▪‣◦·–—>]|\(?(?:\d{1,3}|\p{L})[.)])\s)/u;

/** Line that is neither continued nor a continuation: a heading or a row of a table. */
const wholeLine = /^\s*[|#]/;

/** Separator between the header and the rows of a Markdown table. */
const tableSeparator = /^\s*(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*)*(?:\|\s*)?$/;

/** Length limit of the end of a text that is checked for an abbreviation. */
const MAX_ABBREVIATION_LENGTH = 12;

/** End of a text at which the segmenter sees the end of a sentence, but an abbreviation, initial or ordinal number stands. */
const abbreviation =
  /(?:^|[\s(„“"'’-])(?:\p{L}|\d{1,2}|Drs?|Mrs?|Ms|Mx|Prof|Sen|Rep|Gen|Col|Capt|Lt|Sgt|Rev|Hon|St|Mt|Sr|Jr|Sra|Mme|Mlle|No|Nos|Nr|Art|Abs|Fig|Figs|Eq|Sec|Vol|Ch|pp?|ed|eds|al|vs|cf|approx|ca|bzw|bspw|usw|inkl|zzgl|evtl|ggf|sog|e\.g|i\.e|z\.B|d\.h|u\.a|U\.S)\.\s*$/u;

/** Joins lines into ranges of text that belong together: paragraphs, list items, rows and headings. */
function locateBlocks(text: string): TextRange[] {
  const blocks: (TextRange & { readonly line: string })[] = [];
  let offset = 0;
  let longest = 0;
  for (const line of text.split("\n")) {
    const start = offset;
    offset += line.length + 1;
    if (line.trim() === "") {
      longest = 0;
      continue;
    }
    const previous = blocks.at(-1);
    const isAdjacent = previous?.end === start - 1;
    longest = isAdjacent ? Math.max(longest, previous.line.length) : 0;
    const isFull =
      previous !== undefined &&
      previous.line.length >= MIN_FULL_LINE_LENGTH &&
      previous.line.length >= MIN_FULL_LINE_SHARE * Math.max(longest, line.length);
    const continues = isAdjacent && !ownLine.test(line) && !wholeLine.test(previous.line);
    const block = { start, end: start + line.length, line };
    // The text of a page can end within a sentence, which continues in the next paragraph.
    const continuesPage =
      !isAdjacent &&
      previous !== undefined &&
      previous.line.length >= MIN_FULL_LINE_LENGTH &&
      /[\p{L}\p{N},;-]$/u.test(previous.line) &&
      !wholeLine.test(previous.line) &&
      /^\p{Ll}{2}/u.test(line);
    if (previous && (continuesPage || (continues && (isFull || /^\s*\p{Ll}/u.test(line))))) {
      blocks[blocks.length - 1] = { ...block, start: previous.start };
    } else blocks.push(block);
  }
  return blocks.filter(({ line }) => !tableSeparator.test(line));
}

/** Locates the sentences of a block, without the marker of a list item. */
function locateInBlock(text: string, { start, end }: TextRange): TextRange[] {
  const block = text.slice(start, end).replaceAll("\n", " ");
  const markerLength = marker.exec(block)?.[0].length ?? 0;
  if (wholeLine.test(block)) return [{ start, end }];
  const ranges: { start: number; end: number }[] = [];
  for (const { segment, index } of getSegmenter().segment(block.slice(markerLength))) {
    const previous = ranges.at(-1);
    const from = start + markerLength + index;
    const ending = text.slice(Math.max(previous?.start ?? 0, from - MAX_ABBREVIATION_LENGTH), from);
    if (previous && abbreviation.test(ending)) previous.end = from + segment.length;
    else ranges.push({ start: from, end: from + segment.length });
  }
  return ranges;
}

/**
 * Returns the sentences of a text in order, without surrounding white space. A list item has at least one, a heading and the
 * row of a table are one. Lines that a paragraph is wrapped into belong together.
 */
export function locateSentences(text: string): TextRange[] {
  return locateBlocks(text).flatMap((block) =>
    locateInBlock(text, block).flatMap(({ start, end }) => {
      const sentence = text.slice(start, end);
      const from = start + sentence.length - sentence.trimStart().length;
      const to = start + sentence.trimEnd().length;
      return to > from ? [{ start: from, end: to }] : [];
    }),
  );
}
