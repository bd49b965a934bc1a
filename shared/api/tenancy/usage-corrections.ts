import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { ChosenId, describe, Id, lineOf, Timestamp, UserId } from "../fields.ts";
import { Day } from "../governance/usage.ts";
import { TenantParams } from "./tenants.ts";

/** Correction of what was recorded as the cost of answers. */
const UsageCorrection = v.object({
  id: Id,
  day: v.string(),
  model: v.string(),
  user_id: v.nullable(v.string()),
  key_id: v.nullable(v.string()),
  persona_id: v.nullable(v.string()),
  cost_usd: describe(v.number(), "The difference to what was recorded; negative if that was too much."),
  reason: v.string(),
  created_at: Timestamp,
});
export type UsageCorrection = v.InferOutput<typeof UsageCorrection>;

const route = routeGroup({ group: "tenants", auth: "deployment-key" });

export const createUsageCorrectionRoute = route("POST /v1/admin/tenants/{tenant_id}/usage-corrections", {
  idempotency: "none",
  id: "createUsageCorrection",
  params: TenantParams,
  body: v.strictObject({
    id: v.optional(describe(ChosenId, "An id of yours: a repeated request with it gets 409 and changes nothing.")),
    day: Day,
    model: v.pipe(v.string(), v.minLength(1, "must not be empty"), v.maxLength(300)),
    user_id: v.optional(v.nullable(UserId), null),
    key_id: v.optional(v.nullable(Id), null),
    persona_id: v.optional(v.nullable(Id), null),
    cost_usd: v.pipe(v.number(), v.minValue(-1_000_000), v.maxValue(1_000_000)),
    reason: lineOf(500),
  }),
  replies: { 201: UsageCorrection },
  errors: ["conflict"],
  summary: "Correct the cost of answers",
  description:
    "Adds a difference to the recorded cost of a day, for a price that was wrong or became known later. It appears in the reports of the day within seconds, in the audit trail, and as an event `usage.settled` without requests and tokens.",
});
