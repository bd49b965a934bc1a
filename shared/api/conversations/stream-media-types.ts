/** Media types of the stream of an answer: frames, and protocols for user interfaces. */
export const streamMediaTypes = [
  "text/event-stream",
  "text/event-stream;protocol=ai-sdk",
  "text/event-stream;protocol=ai-sdk-5",
  "text/event-stream;protocol=ag-ui",
] as const;
export type StreamMediaType = (typeof streamMediaTypes)[number];
