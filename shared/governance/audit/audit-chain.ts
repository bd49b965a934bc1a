import { createHash } from "node:crypto";
import type { AuditEvent } from "../../api/governance/audit.ts";

/** Audit event before it is appended to a chain. */
export type UnchainedEvent = Omit<AuditEvent, "seq" | "previous_hash" | "hash">;

/** Position and hash of the last event of a chain. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

export const emptyChainHead: ChainHead = { seq: 0, hash: "0".repeat(64) };

/** Serializes a value as JSON with sorted keys, so that equal values have equal texts. */
function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, nested) =>
    typeof nested === "object" && nested !== null && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).sort(([a], [b]) => (a < b ? -1 : 1)))
      : nested,
  );
}

/**
 * Returns the hash of an event in hex: SHA-256 of the previous hash, a line feed, and the event without its hashes as
 * JSON with sorted keys.
 */
function hashEvent({
  id,
  seq,
  occurred_at,
  actor,
  action,
  target,
  details,
  previous_hash,
}: Omit<AuditEvent, "hash">): string {
  const event = { id, seq, occurred_at, actor, action, target, details };
  return createHash("sha256")
    .update(`${previous_hash}\n${toCanonicalJson(event)}`)
    .digest("hex");
}

/** Returns events with the sequence numbers and hashes with which they continue a chain. */
export function chainEvents(events: readonly UnchainedEvent[], head: ChainHead): AuditEvent[] {
  let { seq, hash } = head;
  return events.map((event) => {
    const chained = { ...event, seq: ++seq, previous_hash: hash };
    hash = hashEvent(chained);
    return { ...chained, hash };
  });
}

/**
 * Checks an event against the previous one of the hash chain. `missing`: events before it are missing; `out_of_place`:
 * its sequence number is too low; `changed`: a hash does not match. Null if it is correct.
 */
export function findFault(event: AuditEvent, previous: ChainHead): "changed" | "missing" | "out_of_place" | null {
  if (event.seq > previous.seq + 1) return "missing";
  if (event.seq !== previous.seq + 1) return "out_of_place";
  return event.hash !== hashEvent(event) || event.previous_hash !== previous.hash ? "changed" : null;
}
