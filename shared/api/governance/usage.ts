import * as v from "valibot";
import { defineRoute } from "../define-route.ts";

/** What usage can be told apart by. */
const usageDimensions = ["day", "user", "key", "persona", "model"] as const;
/** What usage can be told apart by. */
export type UsageDimension = (typeof usageDimensions)[number];

const Day = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d{2}-\d{2}$/, "must be a day such as 2026-01-31"),
  v.check((day) => {
    const date = new Date(day);
    return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
  }, "must be a day that exists"),
);

const GroupBy = v.pipe(
  v.string(),
  v.transform((text) => text.split(",").map((name) => name.trim())),
  v.array(v.picklist(usageDimensions, `must be some of ${usageDimensions.join(", ")}, separated by commas`)),
  v.transform((names) => usageDimensions.filter((name) => names.includes(name))),
);

const amounts = {
  requests: v.pipe(v.number(), v.description("Answers that took anything, whole or not")),
  input_tokens: v.number(),
  output_tokens: v.number(),
  total_tokens: v.number(),
  cost_usd: v.number(),
};

const UsageRow = v.object({
  day: v.exactOptional(v.string()),
  user_id: v.exactOptional(v.nullable(v.string())),
  key_id: v.exactOptional(v.nullable(v.string())),
  persona_id: v.exactOptional(v.nullable(v.string())),
  model: v.exactOptional(v.string()),
  ...amounts,
});
/** What was used, of one group. */
export type UsageRow = v.InferOutput<typeof UsageRow>;

export const getUsage = defineRoute({
  id: "getUsage",
  group: "usage",
  method: "GET",
  path: "/v1/usage",
  auth: "jwt",
  capability: "usage.read",
  query: v.object({ from: v.optional(Day), to: v.optional(Day), group_by: v.optional(GroupBy, "day") }),
  replies: {
    200: v.object({
      from: v.string(),
      to: v.string(),
      group_by: v.array(v.picklist(usageDimensions)),
      usage: v.array(UsageRow),
      totals: v.object(amounts),
    }),
  },
  mediaTypes: ["application/json", "text/csv"],
  summary: "What the tenant used",
  description:
    "Tokens and cost of all answers from `from` to `to` (UTC days, both included; by default the 30 days up to `to`, which is today by default), by `group_by`: any of day, user, key, persona, model. Counted within seconds of the answer; what was deleted since counts as it did. A user of null is a program or a visitor. `Accept: text/csv` gives the same as a table.",
});
