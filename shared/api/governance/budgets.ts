import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Integer, lineOf, Timestamp, TimeZone } from "../fields.ts";
import { getUsageRoute, StorageState, UsageAmounts } from "./usage.ts";

export const BudgetUnit = describe(
  v.picklist(["usd", "tokens", "requests", "runs"]),
  "`requests` are answers of any kind, `runs` those of chat and widget.",
);

export const BudgetWindow = v.picklist(["day", "week", "month", "total"]);
export type BudgetWindow = v.InferOutput<typeof BudgetWindow>;

const scopeTypes = ["tenant", "group", "user", "key", "persona"] as const;

/** Maximum number of budgets of a tenant that its administrators create. */
export const MAX_BUDGETS = 50;

const Limit = describe(
  v.pipe(v.number(), v.minValue(0, "must not be negative"), v.maxValue(1_000_000_000_000, "must be at most 10^12")),
  "Dollars for `usd`, else a whole number. 0 refuses everything.",
);

const fitsUnit = <Amount extends { readonly unit: string; readonly limit: number }>() =>
  v.check<Amount, string>(
    ({ unit, limit }) => (unit === "usd" ? limit <= 1_000_000_000 : Number.isInteger(limit)),
    "the limit must be at most 10^9 dollars, or a whole number for other units",
  );

/** State of a budget in its current window. */
export const BudgetState = v.object({
  starts_at: v.nullable(Timestamp),
  resets_at: describe(v.nullable(Timestamp), "Null for a total."),
  used: describe(v.number(), "The consumption of the answers that ended, in the unit of the limit."),
  reserved: describe(v.number(), "The estimate for answers in progress, counted near the end of a budget."),
  remaining: v.number(),
  unpriced: describe(
    v.array(v.object({ model: v.string(), total_tokens: Integer })),
    "Models without a price, which a budget in dollars cannot count, with their tokens.",
  ),
});
export type BudgetState = v.InferOutput<typeof BudgetState>;

/** Limit for the consumption in a window of time. */
export const Budget = v.object({
  id: v.string(),
  name: v.string(),
  scope: v.object({
    type: v.picklist(scopeTypes),
    id: describe(v.nullable(v.string()), "Null for the tenant, and for each user, key, … on its own."),
  }),
  unit: BudgetUnit,
  limit: v.number(),
  window: BudgetWindow,
  time_zone: v.string(),
  source: describe(
    v.picklist(["administrator", "operator"]),
    "Budgets of the operator of the service cannot be changed.",
  ),
  created_at: Timestamp,
});
export type Budget = v.InferOutput<typeof Budget>;

const BudgetWithState = v.object({
  ...Budget.entries,
  current: describe(v.nullable(BudgetState), "Null for a budget of each user, key, …, which has a state for each."),
});
export type BudgetWithState = v.InferOutput<typeof BudgetWithState>;

/** Budget of a tenant that the operator sets, at most one for each unit and window. */
export const OperatorBudget = v.pipe(
  v.strictObject({
    unit: BudgetUnit,
    limit: Limit,
    window: BudgetWindow,
    time_zone: v.optional(TimeZone, "UTC"),
  }),
  fitsUnit(),
);
export type OperatorBudget = v.InferOutput<typeof OperatorBudget>;

const BudgetScope = v.pipe(
  v.strictObject({
    type: v.picklist(scopeTypes),
    id: v.optional(v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(128), v.regex(/^[^#~]+$/))), null),
  }),
  v.check(({ type, id }) => type !== "tenant" || id === null, "the tenant has no id here"),
);

const route = routeGroup({ group: "budgets", auth: "jwt" });

export const createBudgetRoute = route("POST /v1/budgets", {
  id: "createBudget",
  capability: "budgets.manage",
  body: v.pipe(
    v.strictObject({
      name: lineOf(100),
      scope: v.optional(BudgetScope, { type: "tenant" }),
      unit: BudgetUnit,
      limit: Limit,
      window: BudgetWindow,
      time_zone: v.optional(TimeZone, "UTC"),
    }),
    fitsUnit(),
  ),
  replies: { 201: Budget },
  errors: ["conflict"],
  summary: "Create a budget",
  description: `Answers are refused with 429 \`quota_exceeded\` when a budget that applies to them is used up. A budget takes effect within 30 seconds and counts the answers that start after that. It can be exceeded by at most one answer for each one in progress. A scope of \`group\`, \`user\`, \`key\` or \`persona\` without an id gives each of them the whole limit. Windows start at midnight in the time zone, weeks on Monday. A tenant has at most ${MAX_BUDGETS} budgets.`,
});

export const listBudgetsRoute = route("GET /v1/budgets", {
  id: "listBudgets",
  capability: "usage.read",
  replies: { 200: v.object({ budgets: v.array(BudgetWithState) }) },
  summary: "List budgets",
  description: "Returns all budgets with their current states, those of the operator first.",
});

export const getBudgetRoute = route("GET /v1/budgets/{id}", {
  id: "getBudget",
  capability: "usage.read",
  replies: { 200: BudgetWithState },
  summary: "Get a budget",
});

export const updateBudgetRoute = route("PATCH /v1/budgets/{id}", {
  id: "updateBudget",
  capability: "budgets.manage",
  body: v.partial(v.strictObject({ name: lineOf(100), limit: Limit })),
  replies: { 200: Budget },
  summary: "Change a budget",
  description: "Changes take effect within 30 seconds. Scope, unit and window stay: create another budget for others.",
});

export const deleteBudgetRoute = route("DELETE /v1/budgets/{id}", {
  id: "deleteBudget",
  capability: "budgets.manage",
  summary: "Delete a budget",
});

const AppliedBudget = v.object({
  name: v.string(),
  scope: describe(v.picklist(scopeTypes), "`user` for a budget of the caller."),
  unit: BudgetUnit,
  limit: v.number(),
  window: BudgetWindow,
  current: v.omit(BudgetState, ["unpriced"]),
});
export type AppliedBudget = v.InferOutput<typeof AppliedBudget>;

export const getMyLimitsRoute = route("GET /v1/me/limits", {
  group: "identity",
  id: "getMyLimits",
  replies: {
    200: v.object({
      requests_per_minute: describe(Integer, "The limit that all users of the tenant share."),
      budgets: v.array(AppliedBudget),
      storage: describe(StorageState, "The state of the whole organization."),
    }),
  },
  summary: "Get the limits of the caller",
  description:
    "Returns the budgets that apply to the caller in any conversation, with their current states, and what the organization stores.",
});

export const getMyUsageRoute = route("GET /v1/me/usage", {
  group: "identity",
  id: "getMyUsage",
  query: v.object({ from: getUsageRoute.query.entries.from, to: getUsageRoute.query.entries.to }),
  replies: {
    200: v.object({
      from: v.string(),
      to: v.string(),
      usage: v.array(v.object({ day: v.string(), ...UsageAmounts.entries })),
      totals: UsageAmounts,
    }),
  },
  summary: "Get the usage of the caller",
  description:
    "Returns tokens and cost of the caller's answers by UTC day, from `from` to `to`, both inclusive; by default the last 30 days, and at most 31.",
});
