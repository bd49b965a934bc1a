import { Writable } from "node:stream";
import type { MessagePort } from "node:worker_threads";
import type { FromWorker, ResponseHead } from "./worker-messages.ts";

const marker = Symbol.for("aws.lambda.runtime.handler.streaming");

/** A handler wrapped by `awslambda.streamifyResponse`. */
export type StreamingHandler = (event: unknown, response: Writable, context: unknown) => unknown;

/** Whether a handler went through `awslambda.streamifyResponse`. */
export function isStreaming(handler: unknown): handler is StreamingHandler {
  return typeof handler === "function" && marker in handler;
}

/** Text as text, which needs no copy; anything else as bytes of its own. */
function bytesOf(chunk: string | Uint8Array, encoding: BufferEncoding): string | Uint8Array {
  if (typeof chunk !== "string") return new Uint8Array(chunk);
  return encoding === "utf8" || encoding === "utf-8" ? chunk : new Uint8Array(Buffer.from(chunk, encoding));
}

const bufferOf = (content: string | Uint8Array) => Buffer.from(content as string);

/** How much may be on its way to the client before the stream waits for it. */
const window = 256 * 1024;

/**
 * The response of one streaming invocation: a write is a message to the host at once, text as text and bytes as bytes of
 * their own (a pooled buffer cannot be handed over); further writes of the same turn of the event loop follow in one message. Only when a window is full does the next write wait for a word
 * from the host. Status and headers travel with the first write, as in Lambda: a stream that ends without any has none.
 */
export class ResponseStream extends Writable {
  readonly #port: MessagePort;
  readonly #id: number;
  #head: ResponseHead | undefined;
  #started = false;
  #headWaits = false;
  #ended = false;
  #underWay = 0;
  #continue: (() => void) | undefined;

  constructor(port: MessagePort, id: number) {
    super({ decodeStrings: false });
    this.#port = port;
    this.#id = id;
  }

  /** As in Lambda's runtime; without it the response is `application/octet-stream`. */
  setContentType(contentType: string): void {
    this.setHead({ headers: { "content-type": contentType } });
  }

  setHead(head: ResponseHead): void {
    this.#head = head;
  }

  /** The client has taken what was sent. */
  resume(): void {
    const proceed = this.#continue;
    this.#continue = undefined;
    this.#underWay = 0;
    proceed?.();
  }

  override _write(chunk: string | Uint8Array, encoding: BufferEncoding, callback: () => void): void {
    this.#send(bytesOf(chunk, encoding), callback);
  }

  /** What was written while the one before was on its way: texts travel together. */
  override _writev(chunks: { chunk: string | Uint8Array; encoding: BufferEncoding }[], callback: () => void): void {
    const contents = chunks.map(({ chunk, encoding }) => bytesOf(chunk, encoding));
    const texts = contents.every((content) => typeof content === "string");
    this.#send(texts ? contents.join("") : new Uint8Array(Buffer.concat(contents.map(bufferOf))), callback);
  }

  #send(content: string | Uint8Array, callback: () => void): void {
    // A head alone waits a moment for what comes with it.
    if (content.length === 0 && !this.#started) {
      this.#headWaits = true;
      setImmediate(() => this.#postHead());
      callback();
    } else this.#post(content, callback);
  }

  #postHead(): void {
    if (!this.#headWaits || this.#started || this.destroyed) return;
    this.#started = true;
    this.#postChunk({ type: "chunk", id: this.#id, chunk: "", head: this.#headOrUsual() });
  }

  #headOrUsual(): ResponseHead {
    return this.#head ?? { headers: { "content-type": "application/octet-stream" } };
  }

  #post(content: string | Uint8Array, callback: () => void): void {
    const message: FromWorker & { type: "chunk" } = { type: "chunk", id: this.#id, chunk: content };
    if (!this.#started) {
      this.#started = true;
      message.head = this.#headOrUsual();
    }
    this.#underWay += content.length;
    if (this.#underWay > window) {
      message.waits = true;
      this.#continue = callback;
      this.#postChunk(message);
      return;
    }
    queueMicrotask(() => {
      // Whoever ends the stream along with this write has it all said in one message.
      this.#ended = this.writableEnded && this.writableLength === content.length;
      if (this.#ended) message.last = true;
      this.#postChunk(message);
      // The rest of this turn's writes come in one piece; what comes later goes at once again.
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
 * The `awslambda` global of Lambda's Node runtime.
 * @see https://github.com/aws/aws-lambda-nodejs-runtime-interface-client/blob/main/src/HttpResponseStream.js
 */
export const awslambda = {
  streamifyResponse(handler: StreamingHandler): StreamingHandler {
    return Object.assign(handler, { [marker]: "response" });
  },
  HttpResponseStream: {
    from(stream: ResponseStream, head: ResponseHead): ResponseStream {
      stream.setHead(head);
      return stream;
    },
  },
};
