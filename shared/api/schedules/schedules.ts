import * as v from "valibot";
import { MAX_QUESTION_DOCUMENTS } from "../conversations/attachment-limits.ts";
import { MessageText } from "../conversations/messages.ts";
import { routeGroup } from "../define-route.ts";
import {
  Cursor,
  describe,
  Id,
  Integer,
  Limit,
  lineOf,
  pageOf,
  Timestamp,
  TimestampInput,
  TimeZone,
  wholeNumber,
} from "../fields.ts";
import { DocumentReference } from "../message-document.ts";

/** Maximum number of schedules of a user and of a tenant. */
export const [MAX_SCHEDULES_OF_USER, MAX_SCHEDULES_OF_TENANT] = [20, 500];

/** Number of the next times that a response contains. */
export const NEXT_TIMES = 5;

const ScheduleConversation = v.picklist(["new", "same"]);

const Cron = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(200, "must have at most 200 characters"),
  v.regex(
    /^[\dA-Za-z*,/-]+(?: +[\dA-Za-z*,/-]+){4}$/,
    "must have five fields: minute, hour, day of the month, month, day of the week",
  ),
  v.description("Minute, hour, day of the month, month and day of the week, as in a crontab."),
  v.examples(["0 9 * * 1-5"]),
);

const times = {
  cron: Cron,
  time_zone: describe(TimeZone, "The time zone of `cron`, such as Europe/Berlin."),
  skip_dates: describe(
    v.pipe(
      v.array(v.pipe(v.string(), v.isoDate("must be a date such as 2026-12-25"))),
      v.maxLength(100, "must have at most 100 dates"),
    ),
    "Dates without runs, such as holidays.",
  ),
  starts_at: describe(v.nullable(TimestampInput), "No run is before this time."),
  ends_at: describe(v.nullable(TimestampInput), "No run is after this time."),
};

const timeDefaults = {
  skip_dates: v.optional(times.skip_dates, []),
  starts_at: v.optional(times.starts_at, null),
  ends_at: v.optional(times.ends_at, null),
};

const fields = {
  name: lineOf(100),
  question: MessageText,
  ...times,
  persona_id: describe(v.nullable(Id), "The persona of conversations that runs create."),
  conversation: describe(ScheduleConversation, "`new`: each run creates a conversation. `same`: all runs ask in one."),
  conversation_id: describe(
    v.nullable(Id),
    "With `same`: the conversation, which keeps its persona; by default, the first run creates it. Ignored with `new`.",
  ),
  documents: describe(
    v.pipe(
      v.array(DocumentReference),
      v.maxLength(MAX_QUESTION_DOCUMENTS, `must have at most ${MAX_QUESTION_DOCUMENTS} documents`),
    ),
    "The only documents of the knowledge that the answer is made from.",
  ),
  grace_minutes: describe(
    wholeNumber(5, 1_440),
    "Minutes by which a run may start late, for example after an outage. Later, it is recorded as `missed`.",
  ),
  max_retries: describe(wholeNumber(0, 3), "Number of repetitions of a run after a temporary failure."),
  pause_after: describe(wholeNumber(1, 100), "Number of failed runs in a row after which the schedule is paused."),
  enabled: v.boolean(),
};

const ScheduleInput = v.pipe(
  v.strictObject({
    ...fields,
    ...timeDefaults,
    question: v.optional(fields.question),
    set_id: describe(
      v.optional(v.nullable(Id), null),
      "The test set that runs ask instead of a question, of the version that everybody gets. Conversation, persona and documents do not apply.",
    ),
    persona_id: v.optional(fields.persona_id, null),
    conversation: v.optional(fields.conversation, "new"),
    conversation_id: v.optional(fields.conversation_id, null),
    documents: v.optional(fields.documents, []),
    grace_minutes: v.optional(fields.grace_minutes, 60),
    max_retries: v.optional(fields.max_retries, 2),
    pause_after: v.optional(fields.pause_after, 5),
    enabled: v.optional(fields.enabled, true),
  }),
  v.check(
    ({ question, set_id }) => (question === undefined) !== (set_id === null),
    "must have one of question and set_id",
  ),
);
export type ScheduleInput = v.InferOutput<typeof ScheduleInput>;

const ScheduleChanges = v.partial(v.strictObject(fields));
export type ScheduleChanges = v.InferOutput<typeof ScheduleChanges>;

/** Question that is asked at regular times, with the rights of its owner. */
export const ScheduleFields = v.object({
  id: Id,
  owner_id: v.string(),
  name: v.string(),
  question: describe(v.string(), "Empty with `set_id`."),
  set_id: describe(v.nullable(Id), "The test set that runs ask instead of a question."),
  cron: v.string(),
  time_zone: v.string(),
  skip_dates: v.array(v.string()),
  starts_at: v.nullable(Timestamp),
  ends_at: v.nullable(Timestamp),
  persona_id: v.nullable(Id),
  conversation: ScheduleConversation,
  conversation_id: v.nullable(Id),
  documents: v.array(DocumentReference),
  grace_minutes: Integer,
  max_retries: Integer,
  pause_after: Integer,
  enabled: v.boolean(),
  disabled_reason: describe(
    v.nullable(v.string()),
    "The reason for which the service paused the schedule: `failures`. Enabling it resets `failures`.",
  ),
  failures: describe(Integer, "The number of failed runs in a row."),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const NextTimes = describe(v.array(Timestamp), `The next ${NEXT_TIMES} times; none if it is paused or has ended.`);

const Schedule = v.object({ ...ScheduleFields.entries, next_times: NextTimes });
export type Schedule = v.InferOutput<typeof Schedule>;

/** One run of a schedule. */
export const ScheduleRun = v.object({
  scheduled_at: describe(Timestamp, "The time for which the run was scheduled; that of the request for `manual`."),
  trigger: v.picklist(["schedule", "manual"]),
  status: describe(
    v.picklist(["pending", "running", "completed", "failed", "needs_approval", "missed"]),
    "`needs_approval`: the assistant wanted to call a tool for which there is no consent. `missed`: the service could not start it in time.",
  ),
  attempts: Integer,
  conversation_id: v.nullable(Id),
  message_id: describe(v.nullable(Id), "The answer."),
  test_run_id: describe(v.nullable(Id), "The run of the test set."),
  reason: describe(v.nullable(v.string()), "Why the latest attempt failed, such as the code of an error."),
  started_at: v.nullable(Timestamp),
  ended_at: v.nullable(Timestamp),
});
export type ScheduleRun = v.InferOutput<typeof ScheduleRun>;

const route = routeGroup({ group: "schedules", auth: "jwt", keys: "on_behalf" });

export const createScheduleRoute = route("POST /v1/schedules", {
  id: "createSchedule",
  body: ScheduleInput,
  replies: { 201: Schedule },
  errors: ["forbidden", "not_found", "conflict"],
  summary: "Create a schedule",
  description: `At its times, a schedule asks its question as its owner: with the rights, budgets and rate limits of the owner, who must be active. A tool that needs a confirmation is called only with a remembered consent; otherwise, the run ends with \`needs_approval\`. A time that does not exist on the day on which clocks go forward runs at the next one that does, and a time that exists twice runs once. With \`set_id\`, runs answer a test set of a persona that the owner can change, and emit \`test_run.dropped\` if answers got worse. A user has at most ${MAX_SCHEDULES_OF_USER} schedules, a tenant ${MAX_SCHEDULES_OF_TENANT}.`,
});

export const listSchedulesRoute = route("GET /v1/schedules", {
  id: "listSchedules",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("schedules", Schedule) },
  summary: "List the caller's schedules",
});

export const previewScheduleRoute = route("POST /v1/schedules/preview", {
  id: "previewSchedule",
  idempotency: "none",
  body: v.strictObject({ ...times, ...timeDefaults }),
  replies: { 200: v.object({ next_times: NextTimes }) },
  summary: "Get the next times of a schedule that is not stored",
});

export const getScheduleRoute = route("GET /v1/schedules/{id}", {
  id: "getSchedule",
  replies: { 200: Schedule },
  summary: "Get a schedule",
});

export const updateScheduleRoute = route("PATCH /v1/schedules/{id}", {
  id: "updateSchedule",
  body: ScheduleChanges,
  replies: { 200: Schedule },
  summary: "Change a schedule",
  description: "Other times, and a schedule that is enabled again, start from now.",
});

export const deleteScheduleRoute = route("DELETE /v1/schedules/{id}", {
  id: "deleteSchedule",
  summary: "Delete a schedule",
  description: "Its conversations stay.",
});

export const listScheduleRunsRoute = route("GET /v1/schedules/{id}/runs", {
  id: "listScheduleRuns",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("runs", ScheduleRun) },
  summary: "List the runs of a schedule",
  description: "Returns the runs of the last 90 days, the newest first.",
});

export const startScheduleRunRoute = route("POST /v1/schedules/{id}/runs", {
  id: "startScheduleRun",
  replies: { 202: ScheduleRun },
  summary: "Run a schedule now",
  description: "Asks the question once, also while the schedule is paused.",
});
