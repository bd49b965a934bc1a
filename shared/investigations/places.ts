import * as v from "valibot";
import type { Severity } from "../api/channels/investigate.ts";
import { itemAccess } from "../dynamodb/access.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import type { Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { severityRanks } from "./alert-facts.ts";
import type { InvestigationRef } from "./investigation-store.ts";

export const queuedInvestigationAccess = itemAccess("queuedInvestigation", "query", "put", "delete");
export const runningInvestigationsAccess = itemAccess("runningInvestigations", "get", "put");

/** Maximum number of investigations of a tenant that run at a time. */
export const MAX_RUNNING = 3;

/** Time after an investigation has used its budget of minutes at which its place counts as free, although it has not ended. */
const GRACE_MS = 3 * 60_000;

const Running = v.object({
  version: v.number(),
  places: v.array(v.object({ id: v.string(), until: v.number() })),
});
type Running = v.InferOutput<typeof Running>;

const readRunning = itemReader(Running);
const readQueued = itemReader(v.object({ sk: v.string(), id: v.string(), conversation_id: v.string() }));

/** Entry of the queue, with its position. */
export interface QueuedInvestigation extends InvestigationRef {
  readonly sk: string;
}

const positionOf = (severity: Severity, id: string) =>
  `${severityRanks.length - 1 - severityRanks.indexOf(severity)}#${id}`;

export const enqueueWrite = (
  scope: TenantScope,
  { id, conversation_id }: InvestigationRef,
  severity: Severity,
): Write => ({
  put: {
    ...keys.queuedInvestigation(scope.tenantId, positionOf(severity, id)),
    discriminator: "queued-investigation",
    id,
    conversation_id,
  },
});

/** Returns the write that removes an investigation from the queue; it fails if the investigation is not in it. */
export const dequeueWrite = (scope: TenantScope, id: string, severity: Severity): Write => ({
  delete: keys.queuedInvestigation(scope.tenantId, positionOf(severity, id)),
  condition: { where: "attribute_exists(#pk)" },
});

/** Finds the first investigation of the queue: the most severe, of several the oldest. */
export async function findFirstQueued(scope: TenantScope): Promise<QueuedInvestigation | undefined> {
  const { pk } = keys.queuedInvestigation(scope.tenantId, "");
  const [item] = await tenantTable(scope).query({ pk, limit: 1, consistent: true });
  return item && readQueued(item);
}

/** Removes the entry of an investigation that was deleted with its conversation, and that would hold up the queue. */
export async function removeQueued(scope: TenantScope, { sk }: QueuedInvestigation): Promise<void> {
  await tenantTable(scope).write({ delete: keys.queuedInvestigation(scope.tenantId, sk) });
}

/** Places of a tenant, as they were read. */
export interface Places extends Running {
  readonly free: number;
}

/** Reads the places of a tenant. Those whose time has passed are free. */
export async function readPlaces(scope: TenantScope): Promise<Places> {
  const item = await tenantTable(scope).get(keys.runningInvestigations(scope.tenantId), { consistent: true });
  const { version, places } = item ? readRunning(item) : { version: 0, places: [] };
  const taken = places.filter(({ until }) => until > now());
  return { version, places: taken, free: MAX_RUNNING - taken.length };
}

function placesWrite(scope: TenantScope, { version }: Running, places: Running["places"]): Write {
  return {
    put: {
      ...keys.runningInvestigations(scope.tenantId),
      discriminator: "running-investigations",
      version: version + 1,
      places,
    },
    condition:
      version === 0 ? { where: "attribute_not_exists(#pk)" } : { where: "#version = :version", values: { version } },
  };
}

/** Returns the write that takes a place; it fails if the places were changed since they were read. */
export const takePlaceWrite = (scope: TenantScope, read: Places, id: string, maxMinutes: number): Write =>
  placesWrite(scope, read, [
    ...read.places.filter((place) => place.id !== id),
    { id, until: now() + maxMinutes * 60_000 + GRACE_MS },
  ]);

/** Returns the write that gives a place back, or null if the investigation has none. */
export const returnPlaceWrite = (scope: TenantScope, read: Places, id: string): Write | null =>
  read.places.some((place) => place.id === id)
    ? placesWrite(
        scope,
        read,
        read.places.filter((place) => place.id !== id),
      )
    : null;
