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

/** How much may be on its way to the client before the stream waits for it. */
const window = 256 * 1024;

/**
 * The response of one streaming invocation: each write is one message to the host, at once, text as text and bytes as
 * bytes of their own (a pooled buffer cannot be handed over). Only when a window is full does the next write wait for a word
 * from the host. Status and headers travel with the first write, as in Lambda: a stream that ends without any has none.
 */
export class ResponseStream extends Writable {
  readonly #port: MessagePort;
  readonly #id: number;
  #head: ResponseHead | undefined;
  #started = false;
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
    const plain = typeof chunk === "string" && (encoding === "utf8" || encoding === "utf-8");
    const content = plain ? chunk : new Uint8Array(typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk);
    const message: FromWorker = { type: "chunk", id: this.#id, chunk: content };
    if (!this.#started) {
      this.#started = true;
      message.head = this.#head ?? { headers: { "content-type": "application/octet-stream" } };
    }
    this.#underWay += content.length;
    if (this.#underWay > window) {
      message.waits = true;
      this.#continue = callback;
    }
    this.#port.postMessage(message, typeof content === "string" ? [] : [content.buffer]);
    if (!message.waits) callback();
  }

  override _final(callback: () => void): void {
    this.#port.postMessage({ type: "end", id: this.#id } satisfies FromWorker);
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
