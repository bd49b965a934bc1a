/** Size limit of a segment: DynamoDB items are limited to 400 KB. */
const MAX_SEGMENT_BYTES = 300_000;

/** Truncates a text to at most `maxLength` UTF-16 code units without splitting a surrogate pair. */
export function truncate(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "");
}

/** Returns the last position up to `end` at which a character of UTF-8 starts or the text ends. */
function toCharacterStart(bytes: Buffer, end: number): number {
  let start = Math.min(end, bytes.length);
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}

/** Truncates text to at most `maxBytes` bytes of UTF-8 without splitting a character. */
export function truncateToBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text);
  return bytes.toString("utf8", 0, toCharacterStart(bytes, Math.max(0, maxBytes)));
}

/** Splits a text into segments that fit into a DynamoDB item, without splitting a UTF-8 character. */
export function splitUtf8(text: string): string[] {
  const bytes = Buffer.from(text);
  const segments: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = toCharacterStart(bytes, start + MAX_SEGMENT_BYTES);
    segments.push(bytes.toString("utf8", start, end));
    start = end;
  }
  return segments;
}
