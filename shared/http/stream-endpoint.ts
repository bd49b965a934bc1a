import { Readable } from "node:stream";
import middy from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import type { Context, LambdaFunctionURLEvent } from "aws-lambda";
import type { Route } from "../api/define-route.ts";
import { log } from "../lib/log.ts";
import { enterTraceContext } from "../lib/tracing/trace-context.ts";
import { LoggedBody } from "./access-log.ts";
import { authenticate } from "./authenticate.ts";
import { chain, type EndpointOptions, getRequestContext, toHandlerRequest, type ValidatedRequest } from "./chain.ts";
import type { HttpResponse } from "./errors/problems.ts";
import { fromFunctionUrl } from "./http-request.ts";
import { type IdempotentRequest, type StartOnce, startOnce, toIdempotentRequest } from "./idempotency/idempotency.ts";
import { type Reply, type ReplyBody, successResponse } from "./reply.ts";
import { readTraceContext } from "./request-id.ts";
import { requireCloudFront, requireMethod } from "./steps.ts";

/** Reply whose body is streamed in chunks, as `text/event-stream` unless its headers name another type. */
export class StreamReply {
  readonly chunks: AsyncIterable<string | Uint8Array>;
  readonly headers: Readonly<Record<string, string>>;
  constructor(chunks: AsyncIterable<string | Uint8Array>, headers: Readonly<Record<string, string>> = {}) {
    this.chunks = chunks;
    this.headers = headers;
  }
}

/** Request that the handler of a streaming function receives. */
export interface StreamRequest<Contract extends Route> extends ValidatedRequest<Contract> {
  /** Milliseconds until the Lambda timeout, measured at the start of the handler. */
  readonly remainingMs: number;
  /** Aborts when the client disconnects; null on Lambda, which does not report a disconnect. */
  readonly disconnectSignal: AbortSignal | null;
  /** Keeps the function running until a promise that is already in progress settles, even if the client disconnects. */
  waitUntil(work: Promise<unknown>): void;
  /** Runs work after the response has ended or the client has disconnected. */
  runAfterResponse(work: () => Promise<unknown>): void;
  /** Identity of the request for idempotent retries; null without an `Idempotency-Key`. */
  readonly idempotentRequest: IdempotentRequest | null;
  readonly startOnce: StartOnce;
}

type StreamHandler<Contract extends Route> = (
  request: StreamRequest<Contract>,
) => Promise<StreamReply | ReplyBody<Contract> | Reply<ReplyBody<Contract>>>;

const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  // Prevents proxies such as nginx from buffering the stream.
  "x-accel-buffering": "no",
};

/** Functions to run after the response, by the Lambda event of their request. */
const backgroundTasks = new WeakMap<object, (() => Promise<unknown>)[]>();

async function finishBackgroundTasks(event: object): Promise<void> {
  const tasks = backgroundTasks.get(event) ?? [];
  for (const result of await Promise.allSettled(tasks.map((start) => start()))) {
    if (result.status === "fulfilled") continue;
    log.error("background task failed", { request_id: getRequestContext(event).requestId, error: result.reason });
  }
}

/**
 * Wraps the handler of a contract into a streaming Lambda function behind a function URL.
 * @param options options of the feature, such as the steps for a widget's embed key
 */
export function streamEndpoint<const Contract extends Route>(
  contract: Contract,
  handle: StreamHandler<Contract>,
  { authenticate: verify = authenticate, ...options }: EndpointOptions = {},
) {
  return middy<LambdaFunctionURLEvent, HttpResponse>({
    executionMode: executionModeStreamifyResponse,
    timeoutEarlyInMillis: 0,
    requestStart: ({ event }) => enterTraceContext(readTraceContext(event as LambdaFunctionURLEvent)),
    requestEnd: ({ event }) => finishBackgroundTasks(event as object),
  })
    .use(
      chain<LambdaFunctionURLEvent>(contract, {
        read: (event) => fromFunctionUrl(event, contract.path),
        authenticate: [requireCloudFront, requireMethod, verify],
        ...options,
      }),
    )
    .handler(async (event: LambdaFunctionURLEvent, lambdaContext: Context) => {
      const context = getRequestContext(event);
      const tasks: (() => Promise<unknown>)[] = [];
      backgroundTasks.set(event, tasks);
      const result = await handle({
        ...toHandlerRequest<Contract>(context),
        remainingMs: lambdaContext.getRemainingTimeInMillis(),
        disconnectSignal: (lambdaContext as { disconnectSignal?: AbortSignal }).disconnectSignal ?? null,
        startOnce: startOnce(context),
        waitUntil: (work) => void tasks.push(() => work),
        runAfterResponse: (work) => void tasks.push(work),
        idempotentRequest: toIdempotentRequest(context),
      });
      if (!(result instanceof StreamReply)) return successResponse(context, result);
      // A streamed response without any byte can hang a function URL; the body of a HEAD response is not sent.
      const chunks = context.http.method === "HEAD" ? Readable.from(["\n"]) : result.chunks;
      const response = { statusCode: 200, headers: { ...streamHeaders, ...result.headers } };
      return { ...response, body: new LoggedBody(context, response, chunks) };
    });
}
