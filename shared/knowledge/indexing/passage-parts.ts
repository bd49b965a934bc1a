import { encodeSegments } from "../index/passage-segments.ts";

const SEPARATOR = "\n\n";

/** Part of a document that is indexed and returned by searches as one unit. */
export interface DocumentPassage {
  readonly text: string;
  /** Headings above the passage, outermost first, joined to one text. */
  readonly headings: string;
  /** Page on which the passage starts, from 1; absent in documents without pages. */
  readonly page?: number;
  /** Changes of page or headings within the passage; absent if there are none. */
  readonly segments?: ReturnType<typeof encodeSegments>;
}

/** Part of a passage: text with the headings above it and the page on which it starts. */
export interface PassagePart {
  readonly text: string;
  readonly headings: string;
  readonly page: number | undefined;
  /** Positions in the text at which the following pages start. */
  readonly pageBreaks: readonly number[];
}

export function slicePart(
  { text, headings, page, pageBreaks }: PassagePart,
  start: number,
  end = text.length,
): PassagePart {
  const breaks = pageBreaks.map((position) => position - start).filter((position) => position < end - start);
  return {
    text: text.slice(start, end),
    headings,
    page: page === undefined ? page : page + breaks.filter((position) => position <= 0).length,
    pageBreaks: breaks.filter((position) => position > 0),
  };
}

/**
 * Returns start, page and headings of the parts of a passage.
 * @param trimmed number of characters that were trimmed from the start of the joined parts
 */
function locateParts(parts: readonly PassagePart[], trimmed: number) {
  let offset = -trimmed;
  return parts.flatMap(({ text, headings, page, pageBreaks }) => {
    const start = offset;
    offset += text.length + SEPARATOR.length;
    return [0, ...pageBreaks].map((position, index) => ({
      start: Math.max(0, start + position),
      headings,
      page: page === undefined ? page : page + index,
    }));
  });
}

export function joinParts(
  place: Pick<DocumentPassage, "headings" | "page">,
  parts: readonly PassagePart[],
): DocumentPassage {
  const joined = parts.map(({ text }) => text).join(SEPARATOR);
  const segments = encodeSegments(place, locateParts(parts, joined.length - joined.trimStart().length));
  return { text: joined.trim(), ...place, ...(segments && { segments }) };
}
