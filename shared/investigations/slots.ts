import * as v from "valibot";
import type { Severity } from "../api/webhooks/investigate.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { absent, equals, exists, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { severityRanks } from "../webhooks/alert-facts.ts";
import type { InvestigationRef } from "./investigation-store.ts";

/** Maximum number of concurrent investigations per tenant. Each one takes a slot. */
const MAX_RUNNING = 3;

/**
 * Time after the maximum duration of an investigation at which its slot is free even if it has not ended, because its
 * function may have died.
 */
const GRACE_MS = 3 * 60_000;

const Running = v.object({
  version: v.number(),
  /** Slots that are taken, by investigation; free again at `until` (Unix time in ms). */
  places: v.array(v.object({ id: v.string(), until: v.number() })),
});
type Running = v.InferOutput<typeof Running>;

const readRunning = itemReader(Running);
const readQueued = itemReader(v.object({ sk: v.string(), id: v.string(), conversation_id: v.string() }));

/** Entry of the queue with its sort key, which begins with the rank of the severity. */
interface QueuedInvestigation extends InvestigationRef {
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

/**
 * Returns the write that removes an investigation from the queue. It fails if the investigation is not in the queue.
 */
export const dequeueWrite = (scope: TenantScope, id: string, severity: Severity): Write => ({
  delete: keys.queuedInvestigation(scope.tenantId, positionOf(severity, id)),
  condition: exists(),
});

/**
 * Returns the first investigation in the queue: the most severe one, or the oldest of several. Undefined if the queue
 * is empty.
 */
export async function findFirstQueued(scope: TenantScope): Promise<QueuedInvestigation | undefined> {
  const { pk } = keys.queuedInvestigation(scope.tenantId, "");
  const [item] = await tenantTable(scope).query({ pk, limit: 1, consistent: true });
  return item && readQueued(item);
}

/**
 * Removes the queue entry of an investigation that was deleted with its conversation, because it would block the queue.
 */
export async function removeQueued(scope: TenantScope, { sk }: QueuedInvestigation): Promise<void> {
  await tenantTable(scope).write({ delete: keys.queuedInvestigation(scope.tenantId, sk) });
}

/** Slots of a tenant for concurrent investigations, with the version for conditional writes. */
export interface Slots extends Pick<Running, "version"> {
  readonly taken: Running["places"];
  readonly free: number;
}

/** Reads the slots of a tenant. A slot whose time has passed counts as free. */
export async function readSlots(scope: TenantScope): Promise<Slots> {
  const item = await tenantTable(scope).get(keys.runningInvestigations(scope.tenantId), { consistent: true });
  const { version, places } = item ? readRunning(item) : { version: 0, places: [] };
  const taken = places.filter(({ until }) => until > now());
  return { version, taken, free: MAX_RUNNING - taken.length };
}

function slotsWrite(scope: TenantScope, { version }: Slots, taken: Slots["taken"]): Write {
  return {
    put: {
      ...keys.runningInvestigations(scope.tenantId),
      discriminator: "running-investigations",
      version: version + 1,
      places: taken,
    },
    condition: version === 0 ? absent() : equals({ version }),
  };
}

/** Returns the write that takes a slot for an investigation. It fails if the slots have changed since they were read. */
export const takeSlotWrite = (scope: TenantScope, slots: Slots, id: string, maxMinutes: number): Write =>
  slotsWrite(scope, slots, [
    ...slots.taken.filter((slot) => slot.id !== id),
    { id, until: now() + maxMinutes * 60_000 + GRACE_MS },
  ]);

/** Returns the write that frees the slot of an investigation, or null if it has none. */
export function returnSlotWrite(scope: TenantScope, slots: Slots, id: string): Write | null {
  const others = slots.taken.filter((slot) => slot.id !== id);
  return others.length < slots.taken.length ? slotsWrite(scope, slots, others) : null;
}
