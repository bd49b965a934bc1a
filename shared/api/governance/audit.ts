import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Integer, Limit, pageOf, Timestamp, TimestampInput } from "../fields.ts";
import { parseUserId } from "../user-ids.ts";

/** Immutable record of a change: what was changed, when and by whom. */
export const AuditEvent = v.object({
  id: Id,
  seq: describe(Integer, "The position in the tenant's hash chain, starting at 1 without gaps."),
  occurred_at: Timestamp,
  actor: v.object({
    type: describe(
      v.string(),
      "One of `user`, `api_key`, `embed_key`, `channel`, `visitor`, `deployment` (its operator) or `system`.",
    ),
    id: v.nullable(v.string()),
    via: describe(
      v.optional(v.object({ type: v.string(), id: v.string() })),
      "The key that acted for the user. Missing if the user acted.",
    ),
  }),
  action: describe(v.string(), "The resource type and what happened to it, such as `grant.created`."),
  target: v.object({ type: v.string(), id: v.string() }),
  details: v.record(v.string(), v.unknown()),
  previous_hash: v.string(),
  hash: describe(v.string(), "The SHA-256 of the previous hash and this event."),
});
export type AuditEvent = v.InferOutput<typeof AuditEvent>;

const route = routeGroup({ group: "audit", auth: "jwt", capability: "audit.read" });

const Moment = v.optional(TimestampInput);
const Text = v.optional(v.pipe(v.string(), v.maxLength(200)));
const Subject = v.optional(
  v.pipe(
    v.string(),
    v.maxLength(512),
    v.transform((text) => parseUserId(text) ?? text),
  ),
);

export const listAuditEventsRoute = route("GET /v1/audit-events", {
  id: "listAuditEvents",
  query: v.object({
    limit: Limit,
    cursor: Cursor,
    actor: describe(Subject, "The id of a user or key, or `system`."),
    action: describe(Text, "A complete action (`grant.created`) or a resource type (`grant`)."),
    target: describe(Subject, "The id of the changed resource."),
    since: Moment,
    until: Moment,
  }),
  replies: { 200: pageOf("audit_events", AuditEvent) },
  summary: "List audit events",
  description:
    "Returns events in reverse chronological order. Changes appear within seconds. Events never contain message text. With selective filters, a page can be short or empty and still have a `next_cursor`.",
});

/** Reason why verification of an audit event failed. */
export const ChainFault = v.picklist(["changed", "missing", "out_of_place"]);

export const verifyAuditEventsRoute = route("GET /v1/audit-events/verify", {
  id: "verifyAuditEvents",
  query: v.object({ cursor: Cursor }),
  replies: {
    200: v.object({
      valid: v.boolean(),
      checked: describe(Integer, "The number of events that this request verified."),
      broken: describe(
        v.nullable(v.object({ seq: Integer, id: v.nullable(v.string()), reason: ChainFault })),
        "The first event that failed verification.",
      ),
      head: describe(
        v.object({ seq: Integer, hash: v.string() }),
        "The end of the chain. Store it outside the service to detect a rewritten chain later.",
      ),
      next_cursor: describe(
        v.nullable(v.string()),
        "The cursor to continue verification of a long chain. Null at its end.",
      ),
    }),
  },
  summary: "Verify the audit trail",
  description: "Checks the hash chain for events that were changed, removed or reordered.",
});
