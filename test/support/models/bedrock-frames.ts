import { crc32 } from "node:zlib";

/** One header of a frame: name and text, type 7 in `application/vnd.amazon.eventstream`. */
function header(name: string, value: string): Buffer {
  const [nameBytes, valueBytes] = [Buffer.from(name), Buffer.from(value)];
  const length = Buffer.alloc(2);
  length.writeUInt16BE(valueBytes.length);
  return Buffer.concat([Buffer.from([nameBytes.length]), nameBytes, Buffer.from([7]), length, valueBytes]);
}

/** A message of AWS's event stream: prelude with its checksum, headers, payload, checksum of it all. */
function frame(headers: Readonly<Record<string, string>>, payload: unknown): Buffer {
  const headerBytes = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const payloadBytes = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(12 + headerBytes.length + payloadBytes.length + 4, 0);
  prelude.writeUInt32BE(headerBytes.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headerBytes, payloadBytes]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, checksum]);
}

/** An event of a Converse stream, padded as Bedrock pads. */
export function event(type: string, payload: Record<string, unknown>): Buffer {
  return frame(
    { ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
    { ...payload, p: "abcdefgh" },
  );
}

/** An exception in the midst of a Converse stream. */
export function exception(type: string, message: string): Buffer {
  return frame(
    { ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" },
    { message },
  );
}

const delta = (contentBlockIndex: number, content: unknown) =>
  event("contentBlockDelta", { contentBlockIndex, delta: content });

/** An answer of text: reasoning first, then the pieces, stop, usage with cached tokens. */
export function textAnswer(...pieces: string[]): Buffer[] {
  return [
    event("messageStart", { role: "assistant" }),
    delta(0, { reasoningContent: { text: "Let me think." } }),
    delta(0, { reasoningContent: { signature: "c2lnbmF0dXJl" } }),
    event("contentBlockStop", { contentBlockIndex: 0 }),
    ...pieces.map((text) => delta(1, { text })),
    event("contentBlockStop", { contentBlockIndex: 1 }),
    event("messageStop", { stopReason: "end_turn" }),
    event("metadata", {
      usage: {
        inputTokens: 20,
        outputTokens: 7,
        totalTokens: 127,
        cacheReadInputTokens: 90,
        cacheWriteInputTokens: 10,
      },
      metrics: { latencyMs: 412 },
    }),
  ];
}

/** An answer of two tool calls, the arguments of each in pieces. */
export function toolAnswer(): Buffer[] {
  return [
    event("messageStart", { role: "assistant" }),
    event("contentBlockStart", {
      contentBlockIndex: 0,
      start: { toolUse: { toolUseId: "tooluse_1", name: "search_knowledge" } },
    }),
    delta(0, { toolUse: { input: '{"que' } }),
    delta(0, { toolUse: { input: 'ry":"tents"}' } }),
    event("contentBlockStop", { contentBlockIndex: 0 }),
    event("contentBlockStart", {
      contentBlockIndex: 1,
      start: { toolUse: { toolUseId: "tooluse_2", name: "current_time" } },
    }),
    event("contentBlockStop", { contentBlockIndex: 1 }),
    event("messageStop", { stopReason: "tool_use" }),
    event("metadata", { usage: { inputTokens: 30, outputTokens: 12, totalTokens: 42 }, metrics: { latencyMs: 5 } }),
  ];
}
