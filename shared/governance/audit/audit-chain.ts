import { createHash } from "node:crypto";
import type { AuditEvent } from "../../api/governance/audit.ts";

/** An event that has no place in the chain yet. */
export type UnchainedEvent = Omit<AuditEvent, "seq" | "previous_hash" | "hash">;

/** The end of a chain: its last event's place and hash. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** The end of a chain without events. */
export const noEvents: ChainHead = { seq: 0, hash: "0".repeat(64) };

/** A value as JSON with its keys in order, so that equal values are equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/** SHA-256, in hex, of the previous hash, a line end, and the event without its hash as JSON with sorted keys. */
export function hashOf({
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
    .update(`${previous_hash}\n${canonical(event)}`)
    .digest("hex");
}

/** The events with their places behind the end of a chain. */
export function chained(events: readonly UnchainedEvent[], head: ChainHead): AuditEvent[] {
  let { seq, hash } = head;
  return events.map((event) => {
    const placed = { ...event, seq: ++seq, previous_hash: hash };
    hash = hashOf(placed);
    return { ...placed, hash };
  });
}

/** What is wrong with the next event of a chain, if anything. */
export function faultOf(event: AuditEvent, before: ChainHead): "changed" | "missing" | "out_of_place" | null {
  if (event.seq > before.seq + 1) return "missing";
  if (event.seq !== before.seq + 1) return "out_of_place";
  return event.hash !== hashOf(event) || event.previous_hash !== before.hash ? "changed" : null;
}
