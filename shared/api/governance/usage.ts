import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Integer } from "../fields.ts";

const usageDimensions = ["day", "user", "key", "persona", "persona_version", "model"] as const;
export type UsageDimension = (typeof usageDimensions)[number];

/** Day in UTC. */
export const Day = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d{2}-\d{2}$/, "must be a date such as 2026-01-31"),
  v.check((day) => {
    const date = new Date(day);
    return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
  }, "must be an existing date"),
);

const GroupBy = v.pipe(
  v.string(),
  v.transform((text) => text.split(",").map((name) => name.trim())),
  v.array(v.picklist(usageDimensions, `must be a comma-separated list of ${usageDimensions.join(", ")}`)),
  v.transform((names) => usageDimensions.filter((name) => names.includes(name))),
);

const amounts = {
  requests: describe(Integer, "The number of complete or partial replies that consumed tokens."),
  input_tokens: Integer,
  output_tokens: Integer,
  total_tokens: Integer,
  cost_usd: describe(v.number(), "The cost of the replies whose model has a known price."),
  cached_tokens: describe(Integer, "The input tokens that providers read from their caches."),
};

const aws_cost_usd = describe(
  v.exactOptional(v.number()),
  "The estimated charges of AWS for the replies; with `cost=full` only.",
);

export const UsageAmounts = v.object({ ...amounts, aws_cost_usd });

/** Costs that a report contains: those of models, or those of AWS as well (`full`). */
export const UsageCost = v.optional(v.picklist(["models", "full"]), "models");

const UsageRow = v.object({
  day: v.exactOptional(v.string()),
  user_id: v.exactOptional(v.nullable(v.string())),
  key_id: v.exactOptional(v.nullable(v.string())),
  persona_id: v.exactOptional(v.nullable(v.string())),
  persona_version: v.exactOptional(v.nullable(Integer)),
  model: v.exactOptional(v.string()),
  ...UsageAmounts.entries,
});
export type UsageRow = v.InferOutput<typeof UsageRow>;

const RuleFindings = v.object({ rule: v.string(), replies: Integer });
/** Number of chat answers in which a rule of the guardrail found something. */
export type RuleFindings = v.InferOutput<typeof RuleFindings>;

const stored = v.object({
  used: Integer,
  limit: describe(v.nullable(Integer), "Null without a limit."),
});

/** Amounts that an organization stores and may store. */
export const StorageState = v.object({
  documents: describe(stored, "Documents in all collections."),
  bytes: describe(stored, "Bytes of documents, as they were uploaded, and of attached files."),
});
export type StorageState = v.InferOutput<typeof StorageState>;

const route = routeGroup({ group: "usage", auth: "jwt" });

export const getUsageRoute = route("GET /v1/usage", {
  id: "getUsage",
  capability: "usage.read",
  query: v.object({
    from: v.optional(Day),
    to: v.optional(Day),
    group_by: v.optional(GroupBy, "day"),
    cost: UsageCost,
  }),
  replies: {
    200: v.object({
      from: v.string(),
      to: v.string(),
      group_by: v.array(v.picklist(usageDimensions)),
      usage: v.array(UsageRow),
      totals: UsageAmounts,
      findings: describe(
        v.array(RuleFindings),
        "The chat answers in which the guardrail found something, in the question, the sources or the answer, by rule; findings without a rule by their category. The most frequent rule is first.",
      ),
      storage: describe(StorageState, "The present state, which does not depend on the days."),
    }),
  },
  mediaTypes: ["application/json", "text/csv"],
  summary: "Get usage",
  description:
    "Returns tokens and cost of all replies between the UTC days `from` and `to`, both inclusive. `to` defaults to today, and `from` defaults to a period of 30 days that ends with `to`. `group_by` is a comma-separated list of `day`, `user`, `key`, `persona`, `persona_version` and `model`. Usage is recorded within seconds of a reply and remains after the deletion of the conversation. A null `user_id` stands for API keys and widget visitors, whose `key_id` is the API key or the embed key. `cost=full` adds what AWS charges for the replies. Send `Accept: text/csv` to get the rows as CSV.",
});
