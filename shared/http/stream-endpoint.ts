import { Readable } from "node:stream";
import middy from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import type { Context, LambdaFunctionURLEvent } from "aws-lambda";
import type { Route } from "../api/define-route.ts";
import { log } from "../lib/log.ts";
import { type CheckedRequest, chain, exchangeOf, requestOf } from "./chain.ts";
import type { HttpResponse } from "./errors/problems.ts";
import { fromFunctionUrl } from "./http-request.ts";
import { type Retryable, retryable, type StartOnce, startOnce } from "./idempotency/idempotency.ts";
import { type Reply, type ReplyBody, successResponse } from "./reply.ts";
import { requireEdge, requireMethod, verifyCaller } from "./steps.ts";
import { type LookAhead, verifyAhead } from "./verify-ahead.ts";

/** A reply that is sent piece by piece, as `text/event-stream`. */
export class StreamReply {
  readonly chunks: AsyncIterable<string>;
  readonly headers: Readonly<Record<string, string>>;
  constructor(chunks: AsyncIterable<string>, headers: Readonly<Record<string, string>> = {}) {
    this.chunks = chunks;
    this.headers = headers;
  }
}

/** What the handler of a streaming function gets to see. */
export interface StreamRequest<Contract extends Route> extends CheckedRequest<Contract> {
  /** Milliseconds this function may still run. */
  readonly remainingTime: number;
  /** Keeps the function up until the work is done, whatever becomes of the connection. */
  keepAliveFor(work: Promise<unknown>): void;
  /** Does something once the last byte is out, or nobody is there to take it. */
  afterwards(work: () => Promise<unknown>): void;
  /** What is known of a request with an `Idempotency-Key`; null without one. */
  readonly retry: Retryable | null;
  readonly startOnce: StartOnce;
}

/** What a streaming function does beside its chain. */
export interface StreamOptions<Contract extends Route> {
  /** Begins to read what the handler will want, as soon as the caller is known or guessed and before anything else is. */
  readonly ahead?: (principal: StreamRequest<Contract>["principal"], rawBody: Buffer) => void;
}

/** The handler of a streaming contract. */
export type StreamHandle<Contract extends Route> = (
  request: StreamRequest<Contract>,
) => Promise<StreamReply | ReplyBody<Contract> | Reply<ReplyBody<Contract>>>;

const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  // Proxies between here and the reader would otherwise collect pieces before they pass them on.
  "x-accel-buffering": "no",
};

/** Work that outlives the response or begins after it, by event. */
const background = new WeakMap<object, (() => Promise<unknown>)[]>();

async function finishWork(event: object): Promise<void> {
  const work = background.get(event) ?? [];
  for (const result of await Promise.allSettled(work.map((begin) => begin()))) {
    if (result.status === "fulfilled") continue;
    log.error("work beside a response failed", { request_id: exchangeOf(event).requestId, error: result.reason });
  }
}

/** Wraps the handler of a contract into a streaming Lambda function behind a URL of its own. */
export function streamEndpoint<const Contract extends Route>(
  contract: Contract,
  handle: StreamHandle<Contract>,
  { ahead }: StreamOptions<Contract> = {},
) {
  return middy<LambdaFunctionURLEvent, HttpResponse>({
    executionMode: executionModeStreamifyResponse,
    timeoutEarlyInMillis: 0,
    requestEnd: ({ event }) => finishWork(event as object),
  })
    .use(
      chain<LambdaFunctionURLEvent>(contract, {
        read: (event) => fromFunctionUrl(event, contract.path),
        identify: [requireEdge, requireMethod, ahead ? verifyAhead(ahead as LookAhead) : verifyCaller],
      }),
    )
    .handler(async (event: LambdaFunctionURLEvent, context: Context) => {
      const exchange = exchangeOf(event);
      const work: (() => Promise<unknown>)[] = [];
      background.set(event, work);
      const result = await handle({
        ...requestOf<Contract>(exchange),
        remainingTime: context.getRemainingTimeInMillis(),
        startOnce: startOnce(exchange),
        keepAliveFor: (promise) => void work.push(() => promise),
        afterwards: (begin) => void work.push(begin),
        retry: retryable(exchange),
      });
      if (!(result instanceof StreamReply)) return successResponse(exchange, result);
      return { statusCode: 200, headers: { ...streamHeaders, ...result.headers }, body: Readable.from(result.chunks) };
    });
}
