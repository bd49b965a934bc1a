import { Writable } from "node:stream";
import type { MessagePort } from "node:worker_threads";
import type { FromWorker, ResponseHead } from "./worker-messages.ts";

const streamingMarker = Symbol.for("aws.lambda.runtime.handler.streaming");

/** Handler wrapped by `awslambda.streamifyResponse`. */
type StreamingHandler = (event: unknown, response: Writable, context: unknown) => unknown;

/** Returns true if a handler was wrapped by `awslambda.streamifyResponse`. */
export function isStreaming(handler: unknown): handler is StreamingHandler {
  return typeof handler === "function" && streamingMarker in handler;
}

/**
 * Returns UTF-8 text unchanged, which avoids a copy. Converts anything else to bytes in a buffer of their own, because pooled
 * buffers cannot be transferred to another thread.
 */
function toTransferable(chunk: string | Uint8Array, encoding: BufferEncoding): string | Uint8Array {
  if (typeof chunk !== "string") return new Uint8Array(chunk);
  return encoding === "utf8" || encoding === "utf-8" ? chunk : new Uint8Array(Buffer.from(chunk, encoding));
}

const toBuffer = (content: string | Uint8Array) => Buffer.from(content as string);

/** Number of bytes on the way to the client above which the stream waits. */
const windowBytes = 256 * 1024;

/**
 * Response stream of one invocation. The first write posts a message to the host immediately; further writes in the same
 * event loop turn are sent as one message. Text is sent as text, and binary data in an unpooled buffer, because pooled
 * buffers cannot be transferred. When a window is full, the next write waits for `resume` from the host. Status and headers
 * are sent with the first write, as in Lambda: a stream without writes has none.
 */
export class ResponseStream extends Writable {
  readonly #port: MessagePort;
  readonly #id: number;
  #head: ResponseHead | undefined;
  #started = false;
  #headPending = false;
  #ended = false;
  #bytesInFlight = 0;
  #resumeWrite: (() => void) | undefined;

  constructor(port: MessagePort, id: number) {
    super({ decodeStrings: false });
    this.#port = port;
    this.#id = id;
  }

  /** Sets the content type, as in Lambda's runtime. The default is `application/octet-stream`. */
  setContentType(contentType: string): void {
    this.setHead({ headers: { "content-type": contentType } });
  }

  setHead(head: ResponseHead): void {
    this.#head = head;
  }

  /** Continues a stream that waits. Called when the client has received the data on its way. */
  resume(): void {
    const proceed = this.#resumeWrite;
    this.#resumeWrite = undefined;
    this.#bytesInFlight = 0;
    proceed?.();
  }

  override _write(chunk: string | Uint8Array, encoding: BufferEncoding, callback: () => void): void {
    this.#send(toTransferable(chunk, encoding), callback);
  }

  /** Sends all writes that arrived during the previous one as a single message. */
  override _writev(chunks: { chunk: string | Uint8Array; encoding: BufferEncoding }[], callback: () => void): void {
    const contents = chunks.map(({ chunk, encoding }) => toTransferable(chunk, encoding));
    const texts = contents.every((content) => typeof content === "string");
    this.#send(texts ? contents.join("") : new Uint8Array(Buffer.concat(contents.map(toBuffer))), callback);
  }

  #send(content: string | Uint8Array, callback: () => void): void {
    // Delay a head without data, so that it can be sent with the first chunk.
    if (content.length === 0 && !this.#started) {
      this.#headPending = true;
      setImmediate(() => this.#postHead());
      callback();
    } else this.#post(content, callback);
  }

  #postHead(): void {
    if (!this.#headPending || this.#started || this.destroyed) return;
    this.#started = true;
    this.#postChunk({ type: "chunk", id: this.#id, chunk: "", head: this.#headOrDefault() });
  }

  #headOrDefault(): ResponseHead {
    return this.#head ?? { headers: { "content-type": "application/octet-stream" } };
  }

  #post(content: string | Uint8Array, callback: () => void): void {
    const message: FromWorker & { type: "chunk" } = { type: "chunk", id: this.#id, chunk: content };
    if (!this.#started) {
      this.#started = true;
      message.head = this.#headOrDefault();
    }
    this.#bytesInFlight += content.length;
    if (this.#bytesInFlight > windowBytes) {
      message.awaitsResume = true;
      this.#resumeWrite = callback;
      this.#postChunk(message);
      return;
    }
    queueMicrotask(() => {
      // If the stream ends with this write, mark the chunk as the last one instead of posting a separate end message.
      this.#ended = this.writableEnded && this.writableLength === content.length;
      if (this.#ended) message.last = true;
      this.#postChunk(message);
      // Further writes of this event loop turn are buffered and sent together; later ones are sent immediately.
      if (this.#ended) callback();
      else setImmediate(callback);
    });
  }

  #postChunk(message: FromWorker & { type: "chunk" }): void {
    const { chunk } = message;
    this.#port.postMessage(message, typeof chunk === "string" ? [] : [chunk.buffer as ArrayBuffer]);
  }

  override _final(callback: () => void): void {
    this.#postHead();
    if (!this.#ended) this.#port.postMessage({ type: "end", id: this.#id } satisfies FromWorker);
    callback();
  }
}

/**
 * The `awslambda` global of Lambda's Node.js runtime.
 * @see https://github.com/aws/aws-lambda-nodejs-runtime-interface-client/blob/main/src/HttpResponseStream.js
 */
export const awslambda = {
  streamifyResponse(handler: StreamingHandler): StreamingHandler {
    return Object.assign(handler, { [streamingMarker]: "response" });
  },
  HttpResponseStream: {
    from(stream: ResponseStream, head: ResponseHead): ResponseStream {
      stream.setHead(head);
      return stream;
    },
  },
};
