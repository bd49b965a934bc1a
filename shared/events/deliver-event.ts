import type { EventDelivery } from "../api/events/event-endpoints.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { MAX_DELAY_SECONDS } from "../lib/aws/sqs.ts";
import { now, timestamp } from "../lib/clock.ts";
import { findSetting } from "../lib/env.ts";
import { isInRanges, isPublicAddress } from "../lib/outgoing/addresses.ts";
import { OutgoingError, readBounded, requestGuarded } from "../lib/outgoing/guarded-request.ts";
import { parseRetryAfter } from "../lib/outgoing/retry-after.ts";
import { retryableStatuses } from "../telemetry/otlp.ts";
import { findEventDelivery, updateEventDelivery } from "./delivery-store.ts";
import { attemptInTurn, takeTurn } from "./endpoint-pause.ts";
import { disableGoneEventEndpoint, findEventEndpoint, type StoredEventEndpoint } from "./endpoint-store.ts";
import { type EventRequest, renderEvent } from "./render-event.ts";
import { LOG_EXPIRED, renderTrace } from "./render-trace.ts";
import { type DeliveryJob, scheduleDelivery } from "./schedule-delivery.ts";

const TIMEOUT_MS = 10_000;

/** Time after which a due delivery fails if its endpoint is still paused because of timeouts. */
const MAX_OVERDUE_SECONDS = 24 * 3_600;

/** Maximum number of bytes that are read of a response. They are not stored. */
const MAX_RESPONSE_BYTES = 65_536;

const [minute, hour] = [60, 3_600];

/** Delays before further attempts in seconds, without jitter: 27 hours in total. */
const pauses = [5, 30, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour, 11 * hour];

/** Maximum delay that a receiver can request by `Retry-After`. */
const MAX_REQUESTED_PAUSE_SECONDS = hour;

/** Outcome of an attempt, as changes of the delivery. `error` is null on success. */
interface AttemptResult extends Pick<EventDelivery, "response_status" | "error"> {
  /** Delay that the receiver has requested, in seconds. */
  readonly retryAfterSeconds?: number;
}

/**
 * Sends an event to an endpoint and checks the response.
 * @throws OutgoingError if there is no response
 */
async function send({ url, headers, body, findError }: EventRequest<string | Buffer>): Promise<AttemptResult> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await requestGuarded(url, {
    method: "POST",
    headers: { "user-agent": "Switchboard/1.0", ...headers },
    body,
    findRefusal: (address) =>
      isPublicAddress(address) || isInRanges(address, findSetting("TOOL_PRIVATE_RANGES"))
        ? null
        : "address_not_allowed",
    redirects: "none",
    allowsCompressed: true,
    signal,
  });
  const content = await readBounded(response, MAX_RESPONSE_BYTES, signal, true);
  const { status: response_status } = response;
  if (response_status >= 200 && response_status < 300) {
    return { response_status, error: findError?.(content) ?? null };
  }
  const retryAfterSeconds = parseRetryAfter(response.headers["retry-after"]);
  return { response_status, error: `status ${response_status}`, retryAfterSeconds };
}

async function attempt(request: EventRequest<string | Buffer>): Promise<AttemptResult> {
  try {
    return await send(request);
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    return { response_status: null, error: error.code };
  }
}

/** Makes one attempt to send an event to an endpoint. An answer without a trace counts as delivered without a request. */
async function attemptEvent(
  scope: TenantScope,
  endpoint: StoredEventEndpoint,
  delivery: EventDelivery,
): Promise<AttemptResult> {
  const rendered = await (endpoint.format === "otlp"
    ? renderTrace(scope, endpoint, delivery)
    : renderEvent(endpoint, delivery));
  if (rendered === null) return { response_status: null, error: null };
  return "error" in rendered ? { response_status: null, error: rendered.error } : attempt(rendered);
}

/** Returns true if retries after this outcome are useless or not allowed. */
function isFinal({ format }: StoredEventEndpoint, { response_status, error }: AttemptResult): boolean {
  if (response_status === 410 || error === LOG_EXPIRED) return true;
  // OTLP allows a retry only after these statuses.
  return format === "otlp" && typeof response_status === "number" && !retryableStatuses.has(response_status);
}

/**
 * Sends an event to its endpoint if the delivery is due, and schedules a retry if that fails. Concurrent jobs for one
 * delivery can send the event twice, with the same id.
 */
export async function deliverEvent(job: DeliveryJob): Promise<void> {
  const { endpointId, deliveryId } = job;
  const scope = { tenantId: job.tenantId };
  const delivery = await findEventDelivery(scope, endpointId, deliveryId);
  if (delivery?.status !== "pending") return;
  const waitSeconds = Math.ceil((Date.parse(delivery.next_attempt_at ?? "") - now()) / 1_000);
  if (waitSeconds > 0) return scheduleDelivery(job, waitSeconds);
  const endpoint = await findEventEndpoint(scope, endpointId);
  const attempts = delivery.attempts + 1;
  const end = { attempts, next_attempt_at: null };
  if (!endpoint?.enabled) {
    const error = endpoint ? "endpoint disabled" : "endpoint deleted";
    await updateEventDelivery(scope, endpointId, delivery, { status: "failed", error, ...end });
    return;
  }
  // A test shows whether the receiver answers now.
  const turn = await takeTurn(scope, endpointId, delivery.type === "endpoint.test");
  if ("waitMs" in turn) {
    if (-waitSeconds > MAX_OVERDUE_SECONDS) {
      await updateEventDelivery(scope, endpointId, delivery, {
        status: "failed",
        error: "timeout",
        next_attempt_at: null,
      });
      return;
    }
    return scheduleDelivery(job, Math.ceil((turn.waitMs / 1_000) * (1 + Math.random() / 5)));
  }
  const { retryAfterSeconds = 0, ...result } = await attemptInTurn(
    ...([scope, endpointId, turn] as const),
    () => attemptEvent(scope, endpoint, delivery),
    ({ error }) => error === "timeout",
  );
  if (result.error === null) {
    await updateEventDelivery(scope, endpointId, delivery, { status: "delivered", ...result, ...end });
    return;
  }
  const pause = isFinal(endpoint, result) ? undefined : pauses[attempts - 1];
  if (pause === undefined) {
    await updateEventDelivery(scope, endpointId, delivery, { status: "failed", ...result, ...end });
    if (result.response_status === 410) await disableGoneEventEndpoint(scope, endpointId);
    return;
  }
  const requested = Math.min(retryAfterSeconds, MAX_REQUESTED_PAUSE_SECONDS);
  const seconds = Math.ceil(Math.max(pause, requested) * (1 + Math.random() / 5));
  const next_attempt_at = timestamp(now() + seconds * 1_000);
  // SQS repeats a message whose function died, and a message that comes too early is enqueued again: no attempt is lost.
  if (await updateEventDelivery(scope, endpointId, delivery, { ...result, attempts, next_attempt_at })) {
    await scheduleDelivery(job, Math.min(seconds, MAX_DELAY_SECONDS));
  }
}
