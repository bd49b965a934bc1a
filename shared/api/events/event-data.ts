import * as v from "valibot";
import { Usage } from "../conversations/messages.ts";
import { describe, Id, Integer, Timestamp } from "../fields.ts";

const nullable = v.nullable(v.string());
/** Data that is too long for a body lacks its longest fields. */
const truncated = v.optional(v.literal(true));

const Run = v.object({
  conversation_id: Id,
  message_id: Id,
  question_id: nullable,
  parent_id: nullable,
  persona_id: nullable,
  persona_version: v.nullable(Integer),
  user_id: describe(nullable, "The user who asked; null or a visitor's id for others."),
  status: v.picklist(["complete", "interrupted", "failed"]),
  model: nullable,
  usage: v.nullable(Usage),
  error: v.nullable(v.object({ code: v.string(), message: v.string() })),
  truncated,
});

const Approval = v.object({
  id: Id,
  type: v.string(),
  risk_level: v.string(),
  status: v.string(),
  operation: nullable,
  message_id: describe(nullable, "The answer that waits for the decision."),
  requested_by: v.string(),
  decided_by: nullable,
  decided_at: v.nullable(Timestamp),
  expires_at: Timestamp,
});

const Alert = v.object({
  conversation_id: Id,
  message_id: Id,
  parent_id: describe(nullable, "The first message of the incident, if this is a later event of it."),
  alert: v.optional(v.nullable(v.record(v.string(), v.unknown()))),
  truncated,
});

const Document = v.object({
  id: Id,
  collection_id: Id,
  title: v.string(),
  version: Integer,
  status: v.picklist(["ready", "failed"]),
  error: nullable,
});

const Synced = v.object({
  id: Id,
  collection_id: Id,
  status: v.picklist(["completed", "failed"]),
  added: Integer,
  changed: Integer,
  moved: Integer,
  removed: Integer,
  failed: describe(Integer, "The number of files that could not be read."),
  started_at: Timestamp,
  completed_at: v.nullable(Timestamp),
});

const Settled = v.object({
  reply_id: describe(v.string(), "The id of the answer, completion or summary."),
  user_id: describe(nullable, "Null for API keys and widget visitors."),
  key_id: nullable,
  persona_id: nullable,
  persona_version: v.nullable(Integer),
  model: v.string(),
  requests: Integer,
  input_tokens: Integer,
  output_tokens: Integer,
  total_tokens: Integer,
  cached_tokens: describe(Integer, "The input tokens that the provider read from its cache."),
  cost_usd: describe(v.nullable(v.number()), "Null if the model has no known price."),
  created_at: Timestamp,
});

const Handover = v.object({
  session_id: Id,
  key_id: Id,
  status: v.picklist(["waiting", "claimed", "returned", "closed"]),
  reason: v.picklist(["visitor", "assistant", "word", "unanswered"]),
  contact_email: nullable,
  person_id: describe(nullable, "The person who has or had the session."),
  outcome: nullable,
  requested_at: Timestamp,
  waits_until: describe(
    Timestamp,
    "When the assistant answers again. Outside of the opening hours, this is `requested_at`.",
  ),
});

const ScheduledRun = v.object({
  schedule_id: Id,
  owner_id: v.string(),
  scheduled_at: Timestamp,
  status: v.picklist(["completed", "failed", "needs_approval", "missed"]),
  attempts: Integer,
  conversation_id: nullable,
  message_id: nullable,
  test_run_id: nullable,
  reason: nullable,
});

/** Events with what each means and the schema of its `data`. Later releases add fields and types and remove none. */
export const events = {
  "run.completed": { description: "An answer is complete, or was stopped.", data: Run },
  "run.failed": { description: "An answer failed; `error` has the reason.", data: Run },
  "run.paused": {
    description: "An answer waits for a decision on an approval.",
    data: v.object({ message_id: Id, conversation_id: nullable, approval_id: Id }),
  },
  "approval.requested": { description: "An action waits for a decision.", data: Approval },
  "approval.decided": { description: "An approval was approved, denied, or expired.", data: Approval },
  "feedback.created": {
    description: "A person rated an answer.",
    data: v.object({
      id: Id,
      conversation_id: Id,
      message_id: Id,
      user_id: v.string(),
      persona_id: nullable,
      persona_version: v.nullable(Integer),
      rating: nullable,
      category: nullable,
    }),
  },
  "handover.requested": {
    description: "A visitor of a website waits for a person, or left an address because no person answered.",
    data: Handover,
  },
  "handover.claimed": { description: "A person took the session of a visitor.", data: Handover },
  "handover.returned": { description: "A session is with the assistant again.", data: Handover },
  "handover.closed": { description: "A person closed the matter of a visitor.", data: Handover },
  "transcript.requested": {
    description:
      "A visitor of a website asks for the conversation by e-mail. `GET /v1/tenant/embed-keys/{key_id}/sessions/{session_id}` returns it.",
    data: v.object({ session_id: Id, key_id: Id, email: v.string(), requested_at: Timestamp }),
  },
  "alert.received": { description: "A monitoring alert arrived.", data: Alert },
  "alert.resolved": { description: "A monitoring tool reported that an alert is resolved.", data: Alert },
  "investigation.completed": {
    description: "An investigation of an incident ended, with or without a cause.",
    data: v.object({
      id: Id,
      conversation_id: Id,
      channel_id: v.string(),
      alert_id: Id,
      message_id: nullable,
      status: v.picklist(["completed", "interrupted", "failed"]),
      severity: v.string(),
      service: nullable,
      state: nullable,
      verdict: nullable,
      persona_id: nullable,
      persona_version: v.nullable(Integer),
      model: nullable,
      usage: v.nullable(Usage),
      created_at: Timestamp,
      started_at: v.nullable(Timestamp),
      ended_at: v.nullable(Timestamp),
      truncated,
    }),
  },
  "schedule.completed": { description: "A run of a schedule is complete.", data: ScheduledRun },
  "schedule.failed": {
    description: "A run of a schedule failed, was missed, or needs an approval; `status` and `reason` tell.",
    data: ScheduledRun,
  },
  "schedule.paused": {
    description: "A schedule was paused after failed runs in a row.",
    data: v.object({ id: Id, owner_id: v.string(), name: v.string(), failures: Integer, disabled_reason: v.string() }),
  },
  "test_run.dropped": {
    description:
      "The answers of a scheduled test run are worse than in its run before: by 0.05 or more of the score, and not by chance.",
    data: v.object({
      id: Id,
      set_id: Id,
      persona_id: Id,
      schedule_id: Id,
      version: Integer,
      previous_run_id: Id,
      previous_version: Integer,
      mean_score: v.number(),
      difference: describe(v.number(), "The mean difference of the scores of items of both runs, below 0."),
      interval: describe(
        v.object({ low: v.number(), high: v.number() }),
        "The interval of the difference with a confidence of 95 %.",
      ),
    }),
  },
  "document.ready": { description: "A document can be searched.", data: Document },
  "document.failed": { description: "A document could not be read; `error` has the reason.", data: Document },
  "sync.completed": { description: "A collection is as its source.", data: Synced },
  "sync.failed": {
    description: "The result of a sync could not be applied. The next sync completes it.",
    data: Synced,
  },
  "export.ready": {
    description: "An export can be downloaded.",
    data: v.object({ id: Id, kind: v.string(), owner_id: v.string(), expires_at: Timestamp }),
  },
  "user.deactivated": {
    description: "An administrator deactivated a user.",
    data: v.object({ user_id: v.string(), deactivated_at: Timestamp }),
  },
  "budget.reached": {
    description: "80 or 100 percent of a budget is used.",
    data: v.object({
      budget_id: v.string(),
      name: v.string(),
      scope: v.object({ type: v.string(), id: nullable }),
      percent: v.picklist([80, 100]),
      unit: v.string(),
      limit: v.number(),
      used: v.number(),
      window: v.string(),
      resets_at: v.nullable(Timestamp),
    }),
  },
  "audit.anchored": {
    description:
      "The head of the audit trail at the end of a UTC day, sent before the first entry of a later day. Keep it: a person who rewrites the trail cannot change it.",
    data: v.object({
      from: describe(v.string(), "The UTC day of the last entry."),
      to: describe(v.string(), "The UTC day before the next entry."),
      seq: describe(Integer, "The sequence number of the last entry."),
      hash: describe(v.string(), "The hash of the last entry."),
      totals: describe(
        v.nullable(v.pick(Settled, ["requests", "input_tokens", "output_tokens", "cost_usd"])),
        "The consumption of the answers of these days, as counted so far. Null with more than 20,000 usage records.",
      ),
    }),
  },
  "usage.settled": { description: "An answer consumed tokens; sent once for each, with its cost.", data: Settled },
  "endpoint.test": {
    description: "Sent on request, to test an endpoint.",
    data: v.object({ endpoint_id: Id, user_id: v.string() }),
  },
} as const;

export const EventType = v.picklist(Object.keys(events) as [keyof typeof events]);
export type EventType = v.InferOutput<typeof EventType>;
