/** Unit of a document that passages keep together if possible. */
export type Segment =
  | { readonly kind: "heading"; readonly level: number; readonly title: string; readonly text: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string };

/** Splits plain text into paragraphs at blank lines. */
export function toPlainSegments(text: string): Segment[] {
  return text
    .split(/\n[^\S\n]*(?:\n[^\S\n]*)+/)
    .map((paragraph) => paragraph.replace(/^\n+/, "").trimEnd())
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph) => ({ kind: "text", text: paragraph }));
}
