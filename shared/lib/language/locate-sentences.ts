import { lazily } from "../lazily.ts";

/** Part of a text, in UTF-16 code units. */
interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Segmenter for texts in all languages: `en` has the default rules of Unicode for the end of a sentence. */
const getSegmenter = lazily(() => new Intl.Segmenter("en", { granularity: "sentence" }));

/**
 * Minimum length at which a line counts as wrapped, so that the next line continues it; in UTF-16 code units and as a share
 * of the longest adjacent line.
 */
const MIN_FULL_LINE_LENGTH = 40;
const MIN_FULL_LINE_SHARE = 0.6;

/** Marker of a list item or quotation. */
const marker = /^\s*(?:(?:[-*+•▪‣◦·–—>]|\(?(?:\d{1,3}|\p{L})[.)])\s+)+/u;

/** Line that starts a new block, such as a list item, quotation, heading or row of a table. */
const ownLine = /^\s*(?:[|#]|(?:[-*+•▪‣◦·–—>]|\(?(?:\d{1,3}|\p{L})[.)])\s)/u;

/** Line that is a block of its own: a heading or a row of a table. */
const wholeLine = /^\s*[|#]/;

/** Separator between the header and the rows of a Markdown table. */
const tableSeparator = /^\s*(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*)*(?:\|\s*)?$/;

/** Number of characters before the end of a segment that are searched for an abbreviation. */
const MAX_ABBREVIATION_LENGTH = 12;

/** End of a text with an abbreviation, initial or ordinal number, after which `Intl.Segmenter` wrongly ends a sentence. */
const abbreviation =
  /(?:^|[\s(„“"'’-])(?:\p{L}|\d{1,2}|Drs?|Mrs?|Ms|Mx|Prof|Sen|Rep|Gen|Col|Capt|Lt|Sgt|Rev|Hon|St|Mt|Sr|Jr|Sra|Mme|Mlle|No|Nos|Nr|Art|Abs|Fig|Figs|Eq|Sec|Vol|Ch|pp?|ed|eds|al|vs|cf|approx|ca|bzw|bspw|usw|inkl|zzgl|evtl|ggf|sog|e\.g|i\.e|z\.B|d\.h|u\.a|U\.S)\.\s*$/u;

/** Joins the lines of each paragraph and list item into one range. A row of a table and a heading are ranges of their own. */
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

/** Returns the sentences of a block, without the marker of a list item. A heading or row of a table is returned as a whole. */
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
 * Returns the sentences of a text in order, without surrounding white space. A sentence can continue on the next line of a
 * wrapped paragraph, but never in the next list item. A heading or a row of a table counts as one sentence.
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
