import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Cursor, Id, Limit, pageOf, Timestamp, TimestampInput } from "../fields.ts";

/** Something that was changed, when and by whom; it cannot be changed itself. */
export const AuditEvent = v.object({
  id: Id,
  seq: v.pipe(v.number(), v.description("Place in the tenant's chain, from 1 without gaps")),
  occurred_at: Timestamp,
  actor: v.object({
    type: v.pipe(v.string(), v.description("user, api_key, embed_key, channel, visitor, system")),
    id: v.nullable(v.string()),
  }),
  action: v.pipe(v.string(), v.description("What was done to what kind of thing, such as grant.created")),
  target: v.object({ type: v.string(), id: v.string() }),
  details: v.record(v.string(), v.unknown()),
  previous_hash: v.string(),
  hash: v.pipe(v.string(), v.description("SHA-256 over the previous hash and this event")),
});
/** Something that was changed, when and by whom. */
export type AuditEvent = v.InferOutput<typeof AuditEvent>;

const audit = { group: "audit", auth: "jwt", capability: "audit.read", method: "GET" } as const;

const Moment = v.optional(TimestampInput);
const Text = v.optional(v.pipe(v.string(), v.maxLength(200)));

export const listAuditEvents = defineRoute({
  ...audit,
  id: "listAuditEvents",
  path: "/v1/audit-events",
  query: v.object({
    limit: Limit,
    cursor: Cursor,
    actor: v.pipe(Text, v.description("Id of a user or key, or `system`")),
    action: v.pipe(Text, v.description("All of it (`grant.created`), or the kind of thing (`grant`)")),
    target: v.pipe(Text, v.description("Id of what the event is about")),
    since: Moment,
    until: Moment,
  }),
  replies: { 200: pageOf("audit_events", AuditEvent) },
  errors: ["invalid_cursor"],
  summary: "List what was changed in the tenant",
  description:
    "Newest first. Changes show up within seconds; what was said in messages never does. In a long trail a page of few finds may be short or empty and still have a `next_cursor`.",
});

/** What is wrong with an event of the chain. */
export const ChainFault = v.picklist(["changed", "missing", "out_of_place"]);

export const verifyAuditEvents = defineRoute({
  ...audit,
  id: "verifyAuditEvents",
  path: "/v1/audit-events/verify",
  query: v.object({ cursor: Cursor }),
  replies: {
    200: v.object({
      valid: v.boolean(),
      checked: v.pipe(v.number(), v.description("Events looked at by this request")),
      broken: v.pipe(
        v.nullable(v.object({ seq: v.number(), id: v.nullable(v.string()), reason: ChainFault })),
        v.description("The first event that is not what it was"),
      ),
      head: v.pipe(
        v.object({ seq: v.number(), hash: v.string() }),
        v.description("The end of the chain; note it elsewhere to know later that nobody has made the chain anew"),
      ),
      next_cursor: v.pipe(v.nullable(v.string()), v.description("Where a long chain goes on; null at its end")),
    }),
  },
  errors: ["invalid_cursor"],
  summary: "Verify that the audit trail is what it was",
});
