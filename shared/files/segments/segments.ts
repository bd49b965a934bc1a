/** Page number of the start of a segment, from 1; absent in documents without pages. */
interface Paged {
  readonly page?: number | undefined;
}

/** Structural unit of a document. Passages keep it whole if possible. */
export type Segment =
  | (Paged & { readonly kind: "heading"; readonly level: number; readonly title: string; readonly text: string })
  | (Paged & {
      readonly kind: "text";
      readonly text: string;
      /** Positions in the text at which the following pages start, in UTF-16 code units. */
      readonly pageBreaks?: readonly number[] | undefined;
    })
  | (Paged & { readonly kind: "code"; readonly text: string })
  /** Rows of a table; the first one is the header. */
  | (Paged & { readonly kind: "table"; readonly rows: readonly (readonly string[])[] });

/** Splits plain text into paragraphs at blank lines. */
export function toPlainSegments(text: string): Segment[] {
  return text
    .split(/\n[^\S\n]*(?:\n[^\S\n]*)+/)
    .map((paragraph) => paragraph.replace(/^\n+/, "").trimEnd())
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph) => ({ kind: "text", text: paragraph }));
}
