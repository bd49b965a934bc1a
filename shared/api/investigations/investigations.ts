import * as v from "valibot";
import { Usage } from "../conversations/messages.ts";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Integer, Limit, pageOf, Timestamp, wholeNumber } from "../fields.ts";
import { Severity } from "../webhooks/investigate.ts";

const nullable = v.nullable(v.string());

export const InvestigationStatus = v.picklist([
  "queued",
  "running",
  "waiting",
  "completed",
  "interrupted",
  "failed",
  "skipped",
]);
export type InvestigationStatus = v.InferOutput<typeof InvestigationStatus>;

/** Verdict that the rules give: whether observations of independent tools support one cause. */
export const Verdict = v.picklist(["confirmed", "probable", "inconclusive"]);
export type Verdict = v.InferOutput<typeof Verdict>;

/** Source of evidence: an alert, a passage of a runbook, an earlier incident, or the result of a tool. */
export const Observation = v.object({
  id: describe(v.string(), "Its name within the investigation, such as `t1`."),
  kind: v.picklist(["alert", "earlier", "passage", "tool"]),
  title: v.string(),
  at: Timestamp,
  excerpt: v.string(),
  ref: describe(nullable, "The id of the message, investigation or document; null for results of tools."),
});
export type Observation = v.InferOutput<typeof Observation>;

const Evidence = v.object({
  observation: v.string(),
  quote: describe(v.string(), "A part of the observation, word for word."),
});

/** Claim about the cause, which observations support or refute. */
export const Hypothesis = v.object({
  claim: v.string(),
  evidence: v.array(Evidence),
  test: describe(v.string(), "The test of the claim."),
  outcome: v.picklist(["supported", "refuted", "untested"]),
  confidence: describe(v.number(), "From 0 to 1, at most what the kinds of its observations allow."),
});
export type Hypothesis = v.InferOutput<typeof Hypothesis>;

/** Step that a person can take next. */
export const NextStep = v.object({
  text: v.string(),
  command: describe(nullable, "A command that an observation contains word for word."),
  link: nullable,
  observation: describe(nullable, "The observation that the step is from."),
});
export type NextStep = v.InferOutput<typeof NextStep>;

export const TimelineEntry = v.object({ at: Timestamp, text: v.string(), observation: nullable });
export type TimelineEntry = v.InferOutput<typeof TimelineEntry>;

const Runbook = v.object({
  document_id: Id,
  title: v.string(),
  matched_by: v.picklist(["match", "search"]),
});

/**
 * Result of an investigation. The service's rules (decision 0044) derive it from the recorded observations and the
 * model's claims.
 */
export const InvestigationResult = v.object({
  version: v.literal(1),
  verdict: Verdict,
  cause: describe(nullable, "The claim of the verdict; null if it is `inconclusive`."),
  summary: v.string(),
  hypotheses: v.array(Hypothesis),
  discarded: describe(
    v.array(v.object({ claim: v.string(), reason: v.string() })),
    "Claims of the model that were discarded, with the reason.",
  ),
  observations: v.array(Observation),
  timeline: v.array(TimelineEntry),
  next_steps: v.array(NextStep),
  runbook: v.nullable(Runbook),
  tool_calls: Integer,
});
export type InvestigationResult = v.InferOutput<typeof InvestigationResult>;

const entries = {
  id: Id,
  conversation_id: Id,
  channel_id: v.string(),
  alert_id: describe(Id, "The message of the first alert, in whose thread the investigation is."),
  message_id: describe(v.nullable(Id), "The answer, which is also the run."),
  status: InvestigationStatus,
  reason: describe(
    nullable,
    "Why it was skipped or failed, such as `budget`. `off`, `severity`, `match` and `own_alarm`: the channel's settings do not let this alert start an investigation. `acknowledged`: a person took it before.",
  ),
  severity: Severity,
  title: nullable,
  service: nullable,
  state: describe(v.nullable(v.picklist(["open", "acknowledged", "resolved"])), "The state of the incident."),
  assigned_to: describe(
    v.optional(nullable, null),
    "Person or team that is responsible, as the service of the alert says; null if it names none.",
  ),
  silenced_until: describe(
    v.optional(v.nullable(Timestamp), null),
    "Until then, alerts of the incident start no investigation, and `state=open` leaves it out.",
  ),
  merged_into: describe(v.optional(v.nullable(Id), null), "The investigation that it was merged into."),
  merged_count: describe(v.optional(Integer, 0), "Number of investigations that were merged into it."),
  persona_id: v.nullable(Id),
  persona_version: describe(v.optional(v.nullable(Integer), null), "The version of the persona. Null until the end."),
  model: nullable,
  verdict: v.nullable(Verdict),
  cause: nullable,
  usage: v.nullable(Usage),
  acknowledged_by: nullable,
  acknowledged_at: v.nullable(Timestamp),
  created_at: Timestamp,
  started_at: v.nullable(Timestamp),
  ended_at: v.nullable(Timestamp),
  resolved_at: v.nullable(Timestamp),
};

export const Investigation = v.object(entries);
export type Investigation = v.InferOutput<typeof Investigation>;

const DetailedInvestigation = v.object({
  ...entries,
  alert: describe(
    v.nullable(
      v.object({
        description: v.string(),
        details: describe(v.record(v.string(), v.string()), "Facts by label, as the latest event has them."),
        link: nullable,
      }),
    ),
    "The first alert, with the latest state of its incident; null if its message was deleted.",
  ),
  merged: describe(v.array(Investigation), "The investigations that were merged into it, among the latest 100."),
  result: describe(
    v.nullable(InvestigationResult),
    "While the investigation runs, what is known so far; null before it starts.",
  ),
});

const route = routeGroup({ group: "investigations", auth: "jwt" });

export const listInvestigationsRoute = route("GET /v1/investigations", {
  id: "listInvestigations",
  query: v.object({
    limit: Limit,
    cursor: Cursor,
    state: v.optional(v.picklist(["open", "all"]), "all"),
  }),
  replies: { 200: pageOf("investigations", Investigation) },
  summary: "List investigations",
  description:
    "Returns the investigations in conversations that the caller can read, the newest first, and open incidents that were not investigated, with the status `skipped`. `state=open` leaves out those whose incident is resolved, silenced, or merged into another one that is not resolved. Pages can be shorter than `limit`.",
});

export const getInvestigationRoute = route("GET /v1/investigations/{id}", {
  id: "getInvestigation",
  replies: { 200: DetailedInvestigation },
  summary: "Get an investigation",
  description:
    "The result is what rules made of observations and of the claims of the model: a claim without an observation that contains its quotation word for word is discarded.",
});

export const acknowledgeInvestigationRoute = route("POST /v1/investigations/{id}/acknowledge", {
  id: "acknowledgeInvestigation",
  replies: { 200: Investigation },
  errors: ["forbidden"],
  summary: "Acknowledge an incident",
  description:
    "Records who takes care of the incident. The service of the alert is not told; `createIncidentUpdate` tells it.",
});

export const silenceInvestigationRoute = route("POST /v1/investigations/{id}/silence", {
  id: "silenceInvestigation",
  body: v.strictObject({
    minutes: describe(v.nullable(wholeNumber(1, 10_080)), "At most 7 days; null ends the silence."),
  }),
  replies: { 200: Investigation },
  errors: ["forbidden"],
  summary: "Silence an incident",
  description:
    "Until the time is over, alerts of this incident start no investigation, and lists of open incidents leave it out. `mute` of the channel does the same for all alerts that match a pattern.",
});

export const mergeInvestigationRoute = route("POST /v1/investigations/{id}/merge", {
  id: "mergeInvestigation",
  body: v.strictObject({
    into: describe(v.nullable(Id), "The investigation of the same channel to merge it into; null separates it again."),
  }),
  replies: { 200: Investigation },
  errors: ["forbidden", "conflict"],
  summary: "Merge an incident into another one",
  description:
    "Lists of open incidents then show both as one, and later alerts of the merged incident start no investigation. Returns 409 if the other one belongs to another channel or was merged itself, or if others were merged into this one.",
});

export const getInvestigationReviewRoute = route("GET /v1/investigations/{id}/review", {
  id: "getInvestigationReview",
  replies: {
    200: v.object({
      title: v.string(),
      text: describe(v.string(), "The draft in Markdown."),
      similar: describe(v.array(Id), "Investigations of the same incident or service."),
    }),
  },
  errors: ["conflict"],
  summary: "Draft a review of an incident",
  description:
    "Returns a draft that is made from the result and the thread, without a model: impact, timeline, cause, tests, notes of people, actions and similar incidents.",
});
