import * as v from "valibot";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { ConditionFailed, equals, type Item } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now } from "../lib/clock.ts";

/** Time without a response after which other deliveries to the endpoint wait for the end of the attempt. */
const SUSPICION_MS = 1_000;

/** Duration of the lease with which one attempt tests a paused endpoint. It is longer than an attempt takes. */
const PROBE_MS = 12_000;

/** Duration of the pause after the first, second, … consecutive timeout, in seconds without jitter. */
const pauseSeconds = [5, 30, 120, 600];
const MAX_PAUSE_SECONDS = 900;

const RETENTION_SECONDS = 24 * 3_600;

const EndpointPause = v.object({
  /** Epoch milliseconds until which no delivery to the endpoint is attempted. */
  until: v.number(),
  /** Number of consecutive timeouts. */
  timeouts: v.number(),
});
type EndpointPause = v.InferOutput<typeof EndpointPause>;

const readPause = itemReader(EndpointPause);

/** Permission to attempt a delivery to an endpoint. */
interface AttemptPermit {
  /** Current pause of the endpoint, which the attempt ends or extends; undefined if the endpoint is not paused. */
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
 * Returns the permission to attempt a delivery to an endpoint. After timeouts, the endpoint is paused, and then one
 * function at a time tests it, so that receivers that hang do not occupy all functions.
 * @param isUrgent true to ignore a pause
 * @returns the permission, or the milliseconds to wait
 */
export async function takeTurn(
  scope: TenantScope,
  endpointId: string,
  isUrgent = false,
): Promise<AttemptPermit | { readonly waitMs: number }> {
  const key = keys.eventPause(scope.tenantId, endpointId);
  const item = await tenantTable(scope).get(key, { consistent: true });
  const pause = item && readPause(item);
  if (!pause || isUrgent) return { pause };
  if (pause.until > now()) return { waitMs: pause.until - now() };
  try {
    await tenantTable(scope).write({
      update: key,
      set: { until: now() + PROBE_MS },
      condition: equals({ until: pause.until }),
    });
    return { pause };
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return { waitMs: PROBE_MS };
  }
}

/**
 * Makes an attempt. If there is no response after `SUSPICION_MS`, other deliveries to the endpoint wait; after a
 * timeout, the endpoint is paused.
 * @param isTimeout returns true if the result is a timeout
 */
export async function attemptInTurn<Result>(
  scope: TenantScope,
  endpointId: string,
  { pause }: AttemptPermit,
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
