import * as v from "valibot";
import { itemAccess } from "../dynamodb/access.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { ConditionFailed, type Item } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now } from "../lib/clock.ts";

export const eventPauseAccess = itemAccess("eventPause", "get", "put", "update", "delete");

/** Time without an answer after which other deliveries to the endpoint wait for the end of the attempt. */
const SUSPICION_MS = 1_000;

/** Time for which an attempt has a paused endpoint to itself; longer than an attempt takes. */
const PROBE_MS = 12_000;

/** Pauses in seconds after the first, second, … timeout in a row, without jitter. */
const pauseSeconds = [5, 30, 120, 600];
const MAX_PAUSE_SECONDS = 900;

const RETENTION_SECONDS = 24 * 3_600;

const EndpointPause = v.object({
  /** Time in epoch milliseconds before which the endpoint is not attempted. */
  until: v.number(),
  /** Number of timeouts in a row. */
  timeouts: v.number(),
});
type EndpointPause = v.InferOutput<typeof EndpointPause>;

const readPause = itemReader(EndpointPause);

/** Right to attempt a delivery to an endpoint. */
export interface Turn {
  /** Pause of the endpoint, which this attempt ends or prolongs. */
  readonly pause: EndpointPause | undefined;
}

async function storePause({ tenantId }: TenantScope, endpointId: string, pause: EndpointPause): Promise<void> {
  const item: Item = {
    ...keys.eventPause(tenantId, endpointId),
    discriminator: "event-pause",
    ttl: expiresAfter(RETENTION_SECONDS),
    ...pause,
  };
  await tenantTable({ tenantId }).write({ put: item });
}

/**
 * Takes the right to attempt a delivery to an endpoint. Endpoints that time out are attempted by one function at a time, after a
 * pause, so that receivers that hang do not occupy the functions that others need.
 * @param isUrgent takes it although there is a pause
 * @returns the milliseconds to wait if there is a pause, or another function attempts it
 */
export async function takeTurn(
  scope: TenantScope,
  endpointId: string,
  isUrgent = false,
): Promise<Turn | { readonly waitMs: number }> {
  const key = keys.eventPause(scope.tenantId, endpointId);
  const item = await tenantTable(scope).get(key, { consistent: true });
  const pause = item && readPause(item);
  if (!pause || isUrgent) return { pause };
  if (pause.until > now()) return { waitMs: pause.until - now() };
  try {
    await tenantTable(scope).write({
      update: key,
      set: { until: now() + PROBE_MS },
      condition: { where: "#until = :until", values: { until: pause.until } },
    });
    return { pause };
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return { waitMs: PROBE_MS };
  }
}

/**
 * Attempts a delivery. While it gets no answer, others to the endpoint wait; after a timeout, the endpoint is paused.
 * @param isTimeout tells whether a result is a timeout
 */
export async function attemptInTurn<Result>(
  scope: TenantScope,
  endpointId: string,
  { pause }: Turn,
  attempt: () => Promise<Result>,
  isTimeout: (result: Result) => boolean,
): Promise<Result> {
  const timeouts = pause?.timeouts ?? 0;
  let suspicion: Promise<void> | undefined;
  const timer = setTimeout(() => {
    suspicion = storePause(scope, endpointId, { until: now() + PROBE_MS - SUSPICION_MS, timeouts });
    // Awaited below.
    suspicion.catch(() => {});
  }, SUSPICION_MS);
  const result = await attempt().finally(() => clearTimeout(timer));
  await suspicion;
  if (isTimeout(result)) {
    const seconds = (pauseSeconds[timeouts] ?? MAX_PAUSE_SECONDS) * (1 + Math.random() / 5);
    await storePause(scope, endpointId, { until: now() + seconds * 1_000, timeouts: timeouts + 1 });
  } else if (pause || suspicion) {
    await tenantTable(scope).write({ delete: keys.eventPause(scope.tenantId, endpointId) });
  }
  return result;
}
