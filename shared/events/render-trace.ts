import type { EventDelivery } from "../api/events/event-endpoints.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { env } from "../lib/env.ts";
import { sha256 } from "../lib/hash.ts";
import { renderTraces, toTracesUrl } from "../telemetry/otlp.ts";
import { renderRunTrace } from "../telemetry/render-run-trace.ts";
import { openHeaders } from "./check-target.ts";
import type { StoredEndpoint } from "./endpoint-store.ts";
import type { EventRequest } from "./render-event.ts";

/** Error of a delivery whose run log, from which traces are made, was deleted. */
export const LOG_EXPIRED = "run log expired";

/** Renders a trace of one span that says that the endpoint works. */
function renderTestTrace({ tenantId }: TenantScope, { event_id, payload }: EventDelivery, stage: string): string {
  const startMs = Date.parse((JSON.parse(payload) as { timestamp: string }).timestamp);
  const id = sha256(event_id);
  const span = { spanId: id.slice(32, 48), name: "endpoint.test", kind: "internal", startMs, endMs: startMs } as const;
  return renderTraces(id.slice(0, 32), [{ ...span, attributes: { tenantId } }], stage);
}

/**
 * Renders the request that sends the trace of the answer that an event tells of. Its ids are equal in all attempts.
 * @returns null for an answer that has no trace, because it has no run or its caller does not sample it
 */
export async function renderTrace(
  scope: TenantScope,
  endpoint: StoredEndpoint,
  delivery: EventDelivery,
): Promise<EventRequest | { readonly error: string } | null> {
  const { STAGE } = env("STAGE");
  const { message_id } = (JSON.parse(delivery.payload) as { data: { message_id?: string } }).data;
  const trace =
    message_id === undefined
      ? renderTestTrace(scope, delivery, STAGE)
      : await renderRunTrace(scope, message_id, { hasContent: endpoint.include_content, stage: STAGE });
  if (typeof trace === "string") {
    const headers = { ...(await openHeaders(endpoint)), "content-type": "application/json" };
    return { url: toTracesUrl(endpoint.url), headers, body: trace };
  }
  if (trace.reason === "log expired") return { error: LOG_EXPIRED };
  // The end of the log is written at the same time as the answer.
  return trace.reason === "not ended" ? { error: "run not ended" } : null;
}
