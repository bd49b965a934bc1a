/** Size limit of a segment: DynamoDB items are limited to 400 KB. */
const MAX_SEGMENT_BYTES = 300_000;

/** Splits a text into segments that fit into a DynamoDB item, without splitting a UTF-8 character. */
export function splitUtf8(text: string): string[] {
  const bytes = Buffer.from(text);
  const segments: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(start + MAX_SEGMENT_BYTES, bytes.length);
    while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    segments.push(bytes.toString("utf8", start, end));
    start = end;
  }
  return segments;
}
