/** A part of a document that belongs together. */
export type Piece =
  | { readonly kind: "heading"; readonly level: number; readonly title: string; readonly text: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string };

/** Paragraphs of plain text: what blank lines separate. */
export function plainPieces(text: string): Piece[] {
  return text
    .split(/\n[^\S\n]*(?:\n[^\S\n]*)+/)
    .map((paragraph) => paragraph.replace(/^\n+/, "").trimEnd())
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph) => ({ kind: "text", text: paragraph }));
}
