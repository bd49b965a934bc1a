import { crc32 } from "node:zlib";

/** Encodes a string header (type 7) of an `application/vnd.amazon.eventstream` frame. */
function header(name: string, value: string): Buffer {
  const [nameBytes, valueBytes] = [Buffer.from(name), Buffer.from(value)];
  const length = Buffer.alloc(2);
  length.writeUInt16BE(valueBytes.length);
  return Buffer.concat([Buffer.from([nameBytes.length]), nameBytes, Buffer.from([7]), length, valueBytes]);
}

/** Encodes an event stream message: prelude, prelude checksum, headers, payload, message checksum. */
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

/** Encodes an event of a Converse stream, with padding in `p` like Bedrock's. */
export function event(type: string, payload: Record<string, unknown>): Buffer {
  return frame(
    { ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
    { ...payload, p: "abcdefgh" },
  );
}

/** Encodes an exception event of a Converse stream. */
export function exception(type: string, message: string): Buffer {
  return frame(
    { ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" },
    { message },
  );
}

const delta = (contentBlockIndex: number, content: unknown) =>
  event("contentBlockDelta", { contentBlockIndex, delta: content });

/** Frames of a text completion: reasoning, text chunks, stop, usage with cached tokens. */
export function textCompletionFrames(...chunks: string[]): Buffer[] {
  return [
    event("messageStart", { role: "assistant" }),
    delta(0, { reasoningContent: { text: "Let me think." } }),
    delta(0, { reasoningContent: { signature: "c2lnbmF0dXJl" } }),
    event("contentBlockStop", { contentBlockIndex: 0 }),
    ...chunks.map((text) => delta(1, { text })),
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

/** Frames of a completion with two tool calls whose arguments arrive in chunks. */
export function toolCallFrames(): Buffer[] {
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
