import { Readable } from "node:stream";
import middy from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import type { Context, LambdaFunctionURLEvent } from "aws-lambda";
import type { Route } from "../api/define-route.ts";
import { log } from "../lib/log.ts";
import { chain, getRequestContext, toHandlerRequest, type ValidatedRequest } from "./chain.ts";
import type { HttpResponse } from "./errors/problems.ts";
import { fromFunctionUrl } from "./http-request.ts";
import { type IdempotentRequest, type StartOnce, startOnce, toIdempotentRequest } from "./idempotency/idempotency.ts";
import { type Reply, type ReplyBody, successResponse } from "./reply.ts";
import { authenticateSpeculatively, type Prefetch } from "./speculative-auth.ts";
import { authenticate, requireCloudFront, requireMethod } from "./steps.ts";

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
export interface StreamRequest<Contract extends Route> extends ValidatedRequest<Contract> {
  /** Milliseconds this function may still run. */
  readonly remainingMs: number;
  /** Keeps the function up until the work is done, whatever becomes of the connection. */
  waitUntil(work: Promise<unknown>): void;
  /** Does something once the last byte is out, or nobody is there to take it. */
  runAfterResponse(work: () => Promise<unknown>): void;
  /** What is known of a request with an `Idempotency-Key`; null without one. */
  readonly idempotentRequest: IdempotentRequest | null;
  readonly startOnce: StartOnce;
}

/** What a streaming function does beside its chain. */
export interface StreamOptions<Contract extends Route> {
  /** Begins to read what the handler will want, as soon as the caller is known or guessed and before anything else is. */
  readonly prefetch?: (principal: StreamRequest<Contract>["principal"], rawBody: Buffer) => void;
}

/** The handler of a streaming contract. */
export type StreamHandler<Contract extends Route> = (
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
    log.error("work beside a response failed", {
      request_id: getRequestContext(event).requestId,
      error: result.reason,
    });
  }
}

/** Wraps the handler of a contract into a streaming Lambda function behind a URL of its own. */
export function streamEndpoint<const Contract extends Route>(
  contract: Contract,
  handle: StreamHandler<Contract>,
  { prefetch }: StreamOptions<Contract> = {},
) {
  return middy<LambdaFunctionURLEvent, HttpResponse>({
    executionMode: executionModeStreamifyResponse,
    timeoutEarlyInMillis: 0,
    requestEnd: ({ event }) => finishWork(event as object),
  })
    .use(
      chain<LambdaFunctionURLEvent>(contract, {
        read: (event) => fromFunctionUrl(event, contract.path),
        authenticate: [
          requireCloudFront,
          requireMethod,
          prefetch ? authenticateSpeculatively(prefetch as Prefetch) : authenticate,
        ],
      }),
    )
    .handler(async (event: LambdaFunctionURLEvent, context: Context) => {
      const exchange = getRequestContext(event);
      const work: (() => Promise<unknown>)[] = [];
      background.set(event, work);
      const result = await handle({
        ...toHandlerRequest<Contract>(exchange),
        remainingMs: context.getRemainingTimeInMillis(),
        startOnce: startOnce(exchange),
        waitUntil: (promise) => void work.push(() => promise),
        runAfterResponse: (begin) => void work.push(begin),
        idempotentRequest: toIdempotentRequest(exchange),
      });
      if (!(result instanceof StreamReply)) return successResponse(exchange, result);
      return { statusCode: 200, headers: { ...streamHeaders, ...result.headers }, body: Readable.from(result.chunks) };
    });
}
