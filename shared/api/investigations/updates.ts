import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Id, Integer, Timestamp, textOfAtMost } from "../fields.ts";
import { ToolMode } from "../tools/tool-server.ts";
import { IncidentAction, WriteBackProvider } from "../webhooks/write-back.ts";

/** Update of an incident that is written to the service that it came from. */
export const IncidentUpdate = v.object({
  id: Id,
  investigation_id: Id,
  action: IncidentAction,
  text: v.nullable(v.string()),
  provider: WriteBackProvider,
  target: describe(v.string(), "The id of the incident there."),
  status: describe(
    v.picklist(["waiting", "pending", "delivered", "failed", "denied", "expired"]),
    "`waiting`: an approval is open. `pending`: it will be written, or written again after a failure.",
  ),
  approval_id: v.nullable(Id),
  requested_by: v.string(),
  attempts: Integer,
  next_attempt_at: v.nullable(Timestamp),
  error: describe(v.nullable(v.string()), "Why the last attempt failed, such as `status 429`."),
  created_at: Timestamp,
  delivered_at: v.nullable(Timestamp),
});
export type IncidentUpdate = v.InferOutput<typeof IncidentUpdate>;

const route = routeGroup({ group: "investigations", auth: "jwt" });

export const listIncidentUpdatesRoute = route("GET /v1/investigations/{id}/updates", {
  id: "listIncidentUpdates",
  replies: {
    200: v.object({
      write_back: describe(
        v.nullable(
          v.object({
            provider: WriteBackProvider,
            site: describe(v.string(), "The host that updates are sent to."),
            target: v.string(),
            actions: describe(
              v.object({
                acknowledge: v.optional(ToolMode),
                note: v.optional(ToolMode),
                resolve: v.optional(ToolMode),
              }),
              "The updates that are possible, with the consent that each needs.",
            ),
          }),
        ),
        "Where updates are written; null if the channel writes none, or none for this incident.",
      ),
      updates: v.array(IncidentUpdate),
    }),
  },
  summary: "List the updates of an incident",
  description: "Returns the updates of the last 90 days, the newest first, and where the next one would be written.",
});

export const createIncidentUpdateRoute = route("POST /v1/investigations/{id}/updates", {
  id: "createIncidentUpdate",
  body: v.pipe(
    v.strictObject({
      action: IncidentAction,
      text: describe(
        v.optional(v.nullable(v.pipe(textOfAtMost(5_000), v.trim())), null),
        "The note; optional when the incident is resolved.",
      ),
    }),
    v.forward(
      v.check(
        ({ action, text }) => (action === "note" ? Boolean(text) : action === "resolve" || text === null),
        "is required with the action note, optional with resolve, and not allowed otherwise",
      ),
      ["text"],
    ),
  ),
  replies: { 202: IncidentUpdate },
  errors: ["forbidden", "conflict"],
  summary: "Write an update back",
  description:
    "Acknowledges or resolves the incident, or adds a note, in the service that its alert came from, as `write_back` of the channel says. An update that needs consent has an `approval_id`: the caller confirms it (`confirmApproval`), or another person decides (`decideApproval`). An acknowledgement is recorded here at once. A failed attempt is repeated for at most an hour, and notes are not repeated if the service has them already. Returns 409 if the channel writes nothing back, not this action, or if the alert names nothing that can be updated.",
});
