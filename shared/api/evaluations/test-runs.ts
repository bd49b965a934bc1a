import * as v from "valibot";
import { Usage } from "../conversations/messages.ts";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Integer, Limit, nonEmptyText, pageOf, Timestamp, wholeNumber } from "../fields.ts";
import { VersionNumber } from "../personas/persona.ts";
import { TestItem } from "./test-items.ts";

/** Maximum numbers of versions and of models of a run. */
const [MAX_VERSIONS, MAX_MODELS] = [4, 4];

const Column = v.object({
  version: Integer,
  model: describe(v.nullable(v.string()), "Null for the model of the version."),
});
export type TestColumn = v.InferOutput<typeof Column>;

const Mode = v.picklist(["recorded", "live"]);

const TestEstimate = v.object({
  items: Integer,
  results: Integer,
  input_tokens: Integer,
  output_tokens: Integer,
  cost_usd: describe(v.nullable(v.number()), "Null if the price of a model or of the judge is not known."),
});
export type TestEstimate = v.InferOutput<typeof TestEstimate>;

const Summary = v.object({
  results: Integer,
  failed: describe(Integer, "Results without an answer, because of an error."),
  passed: describe(Integer, "Results that fulfill all expectations."),
  mean_score: describe(v.number(), "The mean share of fulfilled expectations, from 0 to 1."),
  mean_latency_ms: v.number(),
  input_tokens: describe(Integer, "The tokens of the answers. Like the following figures, it leaves out judges."),
  output_tokens: Integer,
  cost_usd: v.number(),
});
export type TestSummary = v.InferOutput<typeof Summary>;

const ColumnComparison = v.object({
  column: Integer,
  better: Integer,
  worse: Integer,
  same: Integer,
  difference: describe(v.number(), "The mean difference of the scores to those of the first column."),
  interval: describe(
    v.object({ low: v.number(), high: v.number() }),
    "The bootstrap interval of the difference with a confidence of 95 %, paired by item.",
  ),
  p_value: describe(v.number(), "The two-sided probability of a sign test."),
});

/** Answers of versions of a persona, with models, to the items of a set. */
export const TestRun = v.object({
  id: Id,
  set_id: Id,
  persona_id: Id,
  columns: describe(v.array(Column), "The versions with their models. Results name a column by its position, from 0."),
  passages: Mode,
  tools: Mode,
  concurrency: Integer,
  max_cost_usd: v.nullable(v.number()),
  judge_model: describe(v.nullable(v.string()), "Null for the model of the tier THINKING."),
  estimate: TestEstimate,
  status: v.picklist(["running", "completed", "canceled", "failed"]),
  reason: describe(
    v.nullable(v.picklist(["budget", "quota", "user", "persona", "tenant"])),
    "Why a run failed: its own budget or one of the organization is used up, its author has left or lost a right, the persona or a version was deleted, or the organization is suspended.",
  ),
  is_canceled: describe(v.boolean(), "True from the request to cancel the run, which ends within some seconds."),
  done: describe(Integer, "Items that have a result in each column."),
  skipped: describe(Integer, "Items from conversations that the author may not read."),
  failed: describe(Integer, "Results without an answer."),
  cost_usd: v.number(),
  summary: describe(v.nullable(v.array(Summary)), "By column, when the run has ended."),
  comparisons: describe(
    v.nullable(v.array(ColumnComparison)),
    "Of the other columns with the first, when the run has ended.",
  ),
  author_id: v.string(),
  created_at: Timestamp,
  ended_at: v.nullable(Timestamp),
});
export type TestRun = v.InferOutput<typeof TestRun>;

/** Answer of one column to one item. */
export const TestResult = v.object({
  item_id: Id,
  column: Integer,
  question: describe(v.string(), "The beginning of the question."),
  source: TestItem.entries.source,
  text: v.string(),
  error: v.nullable(v.object({ code: v.string(), message: v.string() })),
  tool_calls: v.array(v.object({ tool: v.string(), input: v.unknown() })),
  scores: describe(
    v.array(v.object({ type: v.string(), passed: v.boolean(), detail: v.nullable(v.string()) })),
    "The expectations of the item in their order, with `passed` if the answer fulfills them, and the reason of a judge or the similarity as `detail`.",
  ),
  score: describe(v.number(), "The share of fulfilled expectations; 1 without any, and 0 without an answer."),
  duration_ms: Integer,
  usage: describe(v.nullable(Usage), "The usage of the answer and its judges."),
  judge_usage: describe(v.nullable(Usage), "The part of `usage` that judges took."),
  created_at: Timestamp,
});
export type TestResult = v.InferOutput<typeof TestResult>;

const route = routeGroup({ group: "personas", auth: "jwt" });

export const listTestRunsRoute = route("GET /v1/test-runs", {
  id: "listTestRuns",
  query: v.object({ set_id: Id, limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("test_runs", TestRun) },
  errors: ["forbidden"],
  summary: "List the runs of a test set",
  description: "Returns the newest first.",
});

export const createTestRunRoute = route("POST /v1/test-runs", {
  id: "createTestRun",
  body: v.strictObject({
    set_id: Id,
    versions: describe(
      v.optional(
        v.pipe(
          v.array(VersionNumber),
          v.minLength(1),
          v.maxLength(MAX_VERSIONS, `must have at most ${MAX_VERSIONS} entries`),
        ),
      ),
      "Versions of the persona of the set. Defaults to the one that is published to everybody.",
    ),
    models: describe(
      v.optional(
        v.pipe(
          v.array(v.nullable(nonEmptyText(200))),
          v.minLength(1),
          v.maxLength(MAX_MODELS, `must have at most ${MAX_MODELS} entries`),
        ),
        [null],
      ),
      "Models with which each version answers; null for its own.",
    ),
    passages: describe(
      v.optional(Mode, "recorded"),
      "`recorded` to use the passages of an item that has some, `live` to search the knowledge.",
    ),
    tools: describe(
      v.optional(Mode, "recorded"),
      "`recorded` to answer calls of tools with recorded results, `live` to call those that only read and need no consent. Tools that change something are never called.",
    ),
    concurrency: describe(v.optional(wholeNumber(1, 8), 4), "The maximum number of answers at the same time."),
    max_cost_usd: describe(
      v.optional(v.nullable(v.pipe(v.number(), v.minValue(0, "must be at least 0"))), null),
      "The budget of the run, which ends when it is used up. Null for none. Needs a known price of each model and of the judge.",
    ),
    judge_model: describe(
      v.optional(v.nullable(nonEmptyText(200)), null),
      "The model that judges answers by rubrics. Defaults to the one of the tier THINKING.",
    ),
    dry_run: describe(v.optional(v.boolean(), false), "True to get the estimate without a run."),
  }),
  replies: { 201: TestRun, 200: v.object({ estimate: TestEstimate }) },
  errors: ["forbidden"],
  summary: "Run a test set",
  description:
    "Answers each item of a set with versions of its persona and models, with the rights of the caller, and scores the answers. They are stored in no conversation; usage and budgets count them like others.",
});

export const getTestRunRoute = route("GET /v1/test-runs/{id}", {
  id: "getTestRun",
  replies: { 200: TestRun },
  errors: ["forbidden"],
  summary: "Get a run of a test set",
});

export const cancelTestRunRoute = route("DELETE /v1/test-runs/{id}", {
  id: "cancelTestRun",
  errors: ["forbidden", "conflict"],
  summary: "Cancel a run of a test set",
  description: "Ends a run that is in progress, with the results so far. Runs are deleted with their set.",
});

export const listTestResultsRoute = route("GET /v1/test-runs/{id}/results", {
  id: "listTestResults",
  query: v.object({
    column: v.optional(
      v.pipe(v.string(), v.regex(/^\d{1,2}$/, "must be the position of a column"), v.transform(Number)),
    ),
    outcome: describe(
      v.optional(v.picklist(["passed", "failed"])),
      "Only results that fulfill all expectations, or those that do not.",
    ),
    limit: Limit,
    cursor: Cursor,
  }),
  replies: { 200: pageOf("results", TestResult) },
  mediaTypes: ["application/json", "application/xml"],
  errors: ["forbidden"],
  summary: "List the results of a test run",
  description:
    "Returns the results by item and column, or all of them as JUnit XML with `Accept: application/xml`. Results of items from conversations that the caller may not read now are left out.",
});
