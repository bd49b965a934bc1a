import * as v from "valibot";
import { Usage } from "../conversations/messages.ts";
import { routeGroup } from "../define-route.ts";
import { describe, Id, Integer, Timestamp } from "../fields.ts";
import { Hypothesis, Verdict } from "./investigations.ts";

const nullable = v.nullable(v.string());

/** Repetition of an investigation with the recorded results of its tools. */
export const InvestigationReplay = v.object({
  id: Id,
  investigation_id: Id,
  status: v.picklist(["queued", "completed", "stopped", "failed"]),
  reason: describe(
    nullable,
    "Why it stopped or failed: `missing_recording` for a call that the investigation did not make.",
  ),
  missing: describe(nullable, "The call without a recording."),
  persona_id: v.nullable(Id),
  model: nullable,
  runbook: v.nullable(v.object({ collection_id: Id, document_id: Id })),
  verdict: v.nullable(Verdict),
  cause: nullable,
  hypotheses: v.array(Hypothesis),
  discarded: Integer,
  events: describe(v.array(v.string()), "Calls of tools and reports in their order."),
  is_same_verdict: v.nullable(v.boolean()),
  is_same_sequence: v.nullable(v.boolean()),
  usage: v.nullable(Usage),
  duration_ms: v.nullable(Integer),
  requested_by: v.string(),
  created_at: Timestamp,
  ended_at: v.nullable(Timestamp),
});
export type InvestigationReplay = v.InferOutput<typeof InvestigationReplay>;

const route = routeGroup({ group: "investigations", auth: "jwt" });

export const createInvestigationReplayRoute = route("POST /v1/investigations/{id}/replays", {
  id: "createInvestigationReplay",
  body: v.strictObject({
    persona_id: describe(v.optional(v.nullable(Id), null), "Another persona."),
    model: describe(v.optional(v.nullable(v.pipe(v.string(), v.maxLength(200))), null), "Another model."),
    runbook: describe(
      v.optional(v.nullable(v.strictObject({ collection_id: Id, document_id: Id })), null),
      "Another runbook.",
    ),
  }),
  replies: { 202: InvestigationReplay },
  errors: ["forbidden", "conflict"],
  summary: "Replay an investigation",
  description:
    "Runs a finished investigation again with what it observed, to compare a persona, a model or a runbook before a change. No tool is called: a call gets its recorded result, and a call without one ends the replay with the status `stopped`. The tokens count against the channel's budget.",
});

export const listInvestigationReplaysRoute = route("GET /v1/investigations/{id}/replays", {
  id: "listInvestigationReplays",
  replies: { 200: v.object({ replays: v.array(InvestigationReplay) }) },
  summary: "List the replays of an investigation",
  description: "Returns the replays of the last 90 days, the newest first, at most 100.",
});
