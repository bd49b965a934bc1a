/** Bytes of text in one item at most: items end at 400 KB. */
const pieceSize = 300_000;

/** A text in pieces of which each fits into an item, and none ends within a character. */
export function splitUtf8(text: string): string[] {
  const bytes = Buffer.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(start + pieceSize, bytes.length);
    while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    pieces.push(bytes.toString("utf8", start, end));
    start = end;
  }
  return pieces;
}
