import { AsyncLocalStorage } from "node:async_hooks";
import { Readable } from "node:stream";
import { now } from "../lib/clock.ts";
import { type MetricValues, recordMetrics } from "../lib/metrics.ts";
import type { HttpResponse } from "./errors/problems.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Matches a streamed chunk with text of an answer: a server-sent event of the chat, of the messages API or of the
 * OpenAI-compatible API.
 */
const tokenChunk = /(?:^|\n)event: (?:assistant_message|content_block_delta)\n|^data: \{/;

/** Size of a response body, and the time of its first text. */
interface ResponseMeasures {
  readonly bytes: number;
  /** Time of the first text of a streamed answer, in epoch milliseconds; null if there was none. */
  readonly firstTokenAt?: number | null;
}

function toMetrics(
  { streaming }: RequestContext["contract"],
  { statusCode, headers }: Pick<HttpResponse, "statusCode" | "headers">,
): MetricValues {
  return {
    ...(statusCode >= 500 && { failed_requests: 1 }),
    ...(statusCode >= 500 && streaming && { failed_streams: 1 }),
    ...(statusCode === 429 && { limiter_refusals: 1 }),
    ...(headers?.["idempotent-replayed"] && { duplicates: 1 }),
  };
}

/**
 * Writes the access-log line of a request: operation, tenant, status, latency and size. It contains no content, query
 * strings, credentials or user ids; of the caller, it names only the tenant and the kind of credential.
 */
export function logAccess(
  { contract, http, principal, requestId, startedAt }: RequestContext,
  response: Pick<HttpResponse, "statusCode" | "headers">,
  { bytes, firstTokenAt = null }: ResponseMeasures,
): void {
  recordMetrics({
    metrics: toMetrics(contract, response),
    dimensions: { operation: contract.id },
    fields: {
      level: "info",
      message: "request",
      time: new Date().toISOString(),
      request_id: requestId,
      gateway_request_id: http.gatewayRequestId,
      tenant: principal?.tenantId ?? null,
      principal: principal?.kind ?? "none",
      method: http.method,
      status: response.statusCode,
      latency_ms: now() - startedAt,
      bytes,
      ...(firstTokenAt !== null && { first_token_ms: firstTokenAt - startedAt }),
    },
  });
}

type Chunk = string | Uint8Array;

/**
 * Body of a streamed response. Writes the access-log line when the stream ends or is aborted. It reads the chunks itself,
 * because another generator around them would be one more step for each token.
 */
export class LoggedBody extends Readable {
  readonly #iterator: AsyncIterator<Chunk>;
  readonly #log: (measures: ResponseMeasures) => void;
  #bytes = 0;
  #firstTokenAt: number | null = null;

  constructor(
    context: RequestContext,
    response: Pick<HttpResponse, "statusCode" | "headers">,
    chunks: AsyncIterable<Chunk>,
  ) {
    super({ objectMode: true, highWaterMark: 1 });
    this.#iterator = chunks[Symbol.asyncIterator]();
    // A client that leaves destroys the body outside of the trace of the request.
    this.#log = AsyncLocalStorage.bind((measures) => logAccess(context, response, measures));
  }

  override async _read(): Promise<void> {
    try {
      const { done, value } = await this.#iterator.next();
      if (done) {
        this.push(null);
        return;
      }
      this.#bytes += Buffer.byteLength(value);
      if (this.#firstTokenAt === null && typeof value === "string" && tokenChunk.test(value))
        this.#firstTokenAt = now();
      this.push(value);
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#log({ bytes: this.#bytes, firstTokenAt: this.#firstTokenAt });
    // Work after the response, such as the record of an aborted answer, begins when the chunks have ended.
    Promise.resolve(this.#iterator.return?.()).then(
      () => callback(error),
      () => callback(error),
    );
  }
}
