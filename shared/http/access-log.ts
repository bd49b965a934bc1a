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

/**
 * Yields the chunks of a streamed response unchanged, and writes the access-log line when the stream ends or is
 * aborted.
 */
export async function* withAccessLog<Chunk extends string | Uint8Array>(
  context: RequestContext,
  response: Pick<HttpResponse, "statusCode" | "headers">,
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
): AsyncGenerator<Chunk, void> {
  let bytes = 0;
  let firstTokenAt: number | null = null;
  try {
    for await (const chunk of chunks) {
      bytes += Buffer.byteLength(chunk);
      if (firstTokenAt === null && typeof chunk === "string" && tokenChunk.test(chunk)) firstTokenAt = now();
      yield chunk;
    }
  } finally {
    logAccess(context, response, { bytes, firstTokenAt });
  }
}
