import * as v from "valibot";
import { describe, Id, Timestamp, TimestampInput, wholeNumber } from "../fields.ts";

export const Severity = v.picklist(["low", "medium", "high", "critical"]);
export type Severity = v.InferOutput<typeof Severity>;

const Pattern = v.pipe(
  v.string(),
  v.minLength(1, "must not be empty"),
  v.maxLength(200, "must have at most 200 characters"),
  v.description("A text in any case, in which `*` stands for any characters."),
  v.examples(["checkout-*"]),
);

/** Alerts by service, title and labels; an alert must match each part that is given. */
export const AlertMatch = v.strictObject({
  service: v.optional(Pattern),
  title: v.optional(Pattern),
  labels: v.optional(v.pipe(v.record(v.pipe(v.string(), v.maxLength(100)), Pattern), v.maxEntries(20))),
});
export type AlertMatch = v.InferOutput<typeof AlertMatch>;

const budget = {
  tokens_per_day: describe(
    v.optional(wholeNumber(1_000, 1_000_000_000), 2_000_000),
    "Tokens of all investigations of the channel on one day in UTC.",
  ),
  tokens_per_run: describe(
    v.optional(wholeNumber(1_000, 10_000_000), 200_000),
    "Tokens of one investigation, which are reserved at its start. After they are used, its model can only report.",
  ),
  usd_per_day: describe(
    v.optional(v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(100_000))), null),
    "No investigation starts after the models of a day have cost this much.",
  ),
};

/** Tokens and cost of the investigations of a channel. */
export const InvestigationBudget = v.strictObject(budget);
export type InvestigationBudget = v.InferOutput<typeof InvestigationBudget>;

const settings = {
  persona: describe(Id, "The persona whose instructions, model, knowledge and tools are used."),
  min_severity: v.optional(Severity, "high"),
  match: describe(v.optional(AlertMatch, {}), "Alerts that are investigated; all by default."),
  budget: v.optional(InvestigationBudget, {}),
  max_minutes: v.optional(wholeNumber(1, 14), 10),
  window_minutes: describe(
    v.optional(wholeNumber(1, 1_440), 15),
    "Alerts of one incident or service within this time are one investigation. An incident that opens again in this time, because it flaps, starts no other one.",
  ),
};

/** Alerts that are not investigated in a period, such as a maintenance window. */
const muted = { match: AlertMatch, from: v.optional(v.nullable(Timestamp), null), until: v.nullable(Timestamp) };
const mutedInput = {
  match: v.optional(AlertMatch, {}),
  from: v.optional(v.nullable(TimestampInput), null),
  until: v.optional(v.nullable(TimestampInput), null),
};

/** Settings of a channel whose alerts are investigated, in a request. */
export const InvestigateInput = v.strictObject({
  ...settings,
  mute: describe(
    v.optional(v.pipe(v.array(v.strictObject(mutedInput)), v.maxLength(20, "must have at most 20 entries")), []),
    "Alerts that are not investigated: muted ones, and those of maintenance windows.",
  ),
});

/** Settings of a channel whose alerts are investigated. */
export const Investigate = v.object({
  ...settings,
  mute: v.array(v.object(muted)),
  set_by: describe(v.string(), "The user with whose rights investigations read and use tools."),
});
export type Investigate = v.InferOutput<typeof Investigate>;
