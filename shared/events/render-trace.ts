import type { EventDelivery } from "../api/events/event-endpoints.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { env } from "../lib/env.ts";
import { sha256Bytes } from "../lib/hash.ts";
import { countRejectedSpans, OTLP_CONTENT_TYPE, renderTraces, toTracesUrl } from "../telemetry/otlp.ts";
import { renderRunTrace } from "../telemetry/render-run-trace.ts";
import { openHeaders } from "./check-target.ts";
import type { StoredEventEndpoint } from "./endpoint-store.ts";
import type { EventRequest } from "./render-event.ts";

/** Error of a delivery if the run's log, from which the trace is built, has expired. */
export const LOG_EXPIRED = "run log expired";

/** Returns an error if the response rejects some of the spans, or null. */
function findRejection(response: Buffer): string | null {
  const count = countRejectedSpans(response);
  return count === 0 ? null : `${count} spans rejected`;
}

/** Returns a trace with one span, to test an endpoint. */
function renderTestTrace({ tenantId }: TenantScope, { event_id, payload }: EventDelivery, stage: string): Buffer {
  const startMs = Date.parse((JSON.parse(payload) as { timestamp: string }).timestamp);
  const id = sha256Bytes(event_id).toString("hex");
  const span = { spanId: id.slice(32, 48), name: "endpoint.test", kind: "internal", startMs, endMs: startMs } as const;
  return renderTraces(id.slice(0, 32), [{ ...span, attributes: { tenantId } }], stage);
}

/**
 * Returns the request that sends the trace of the answer in an event. Trace and span ids are the same in all attempts.
 * @returns null if the answer has no trace because it has no run or the caller did not sample it, or an error
 */
export async function renderTrace(
  scope: TenantScope,
  endpoint: StoredEventEndpoint,
  delivery: EventDelivery,
): Promise<EventRequest<Buffer> | { readonly error: string } | null> {
  const { STAGE } = env("STAGE");
  const { message_id } = (JSON.parse(delivery.payload) as { data: { message_id?: string } }).data;
  const trace =
    message_id === undefined
      ? renderTestTrace(scope, delivery, STAGE)
      : await renderRunTrace(scope, message_id, { hasContent: endpoint.include_content, stage: STAGE });
  if (Buffer.isBuffer(trace)) {
    const headers = { ...(await openHeaders(endpoint)), "content-type": OTLP_CONTENT_TYPE };
    return { url: toTracesUrl(endpoint.url), headers, body: trace, findError: findRejection };
  }
  if (trace.reason === "log expired") return { error: LOG_EXPIRED };
  // The event can arrive before the end of the run log is stored. After an error, `deliverEvent` tries again later.
  return trace.reason === "not ended" ? { error: "run not ended" } : null;
}
