import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Id, Integer, Timestamp, trimmedText, wholeNumber } from "../fields.ts";
import { GuardrailPolicy } from "./guardrail-policy.ts";

/** Severity of the damage if an action goes wrong. */
export const RiskLevel = v.picklist(["low", "medium", "high", "critical"]);
export type RiskLevel = v.InferOutput<typeof RiskLevel>;

export const TranscriptFormat = v.picklist(["json", "markdown"]);
export type TranscriptFormat = v.InferOutput<typeof TranscriptFormat>;

const isUnique = <Entry>(entries: Entry[]) => new Set(entries).size === entries.length;

const Banner = v.strictObject({ text: trimmedText(500), level: v.picklist(["info", "warning", "critical"]) });

const Classification = v.pipe(
  v.strictObject({
    levels: v.pipe(
      v.array(trimmedText(50)),
      v.minLength(1, "must name at least one level"),
      v.maxLength(20, "must name at most 20 levels"),
      v.check(isUnique, "must not contain duplicate levels"),
    ),
    default: trimmedText(50),
  }),
  v.forward(
    v.partialCheck(
      [["levels"], ["default"]],
      (classification) => classification.levels.includes(classification.default),
      "must be one of the levels",
    ),
    ["default"],
  ),
);

export const ApprovalRule = v.picklist(["never", "always"]);

const rules = {
  banner: v.nullable(Banner),
  classification: Classification,
  retention: v.strictObject({
    conversation_days: describe(
      v.nullable(wholeNumber(1, 36_500)),
      "The number of days that a conversation is retained after its last activity. Null retains it indefinitely.",
    ),
  }),
  export: v.strictObject({
    allowed: v.boolean(),
    formats: v.pipe(v.array(TranscriptFormat), v.check(isUnique, "must not contain duplicate formats")),
  }),
  approvals: v.strictObject({
    share_link: ApprovalRule,
    export: ApprovalRule,
    tool_execution: ApprovalRule,
    data_access: ApprovalRule,
    risk_level: RiskLevel,
  }),
  memory: v.strictObject({ enabled: v.boolean() }),
};

const FollowUps = describe(
  v.strictObject({ enabled: v.boolean() }),
  "Lets answers end with up to three questions that the user may ask next. They take one more call of the model of the tier QUICK.",
);

const Ids = (max: number) => v.optional(v.pipe(v.array(Id), v.maxLength(max, `must have at most ${max} entries`)), []);

const ModelChoice = v.strictObject({
  model: v.pipe(v.string(), v.minLength(1, "must not be empty"), v.maxLength(200)),
  group_ids: describe(Ids(20), "Groups whose members may choose it, in addition to administrators. Empty for all."),
  persona_ids: describe(Ids(50), "Personas whose conversations it may be chosen in. Empty for all."),
});

const Models = describe(
  v.strictObject({
    choices: v.nullable(v.pipe(v.array(ModelChoice), v.maxLength(100, "must have at most 100 entries"))),
  }),
  "Models that people may choose for an answer (`model` in chat requests). Null allows all models. Models of personas and tiers are not affected.",
);

const Sharing = describe(
  v.strictObject({ keep_links_of_deactivated_users: v.boolean() }),
  "Public links. Those of deactivated users are closed unless the policy keeps them.",
);

export const Policy = v.object({
  ...rules,
  follow_ups: FollowUps,
  models: Models,
  sharing: Sharing,
  guardrails: GuardrailPolicy,
  version: describe(Integer, "The version of the policy. 0 until a policy is set."),
  updated_at: v.nullable(Timestamp),
  updated_by: v.nullable(v.string()),
});
export type Policy = v.InferOutput<typeof Policy>;

const ignored = <const Schema extends v.GenericSchema>(schema: Schema) =>
  v.optional(describe(schema, "Ignored. It is accepted so that a policy can be sent as it was read."));

/** Policy to set. Its version and update metadata are ignored. */
const PolicyRules = v.strictObject({
  ...rules,
  follow_ups: describe(v.optional(FollowUps), "The current value is retained if this is omitted."),
  models: describe(v.optional(Models), "The current value is retained if this is omitted."),
  sharing: describe(v.optional(Sharing), "The current value is retained if this is omitted."),
  guardrails: describe(v.optional(GuardrailPolicy), "The current guardrail policy is retained if this is omitted."),
  version: ignored(v.number()),
  updated_at: ignored(v.nullable(v.string())),
  updated_by: ignored(v.nullable(v.string())),
});
export type PolicyRules = v.InferOutput<typeof PolicyRules>;

/** Part of the policy that `/v1/receptor` returns to every user. */
export const PolicyNotice = v.object({ banner: v.nullable(Banner), classification: Classification });

const route = routeGroup({ group: "policy", auth: "jwt" });

export const getPolicyRoute = route("GET /v1/policy", {
  id: "getPolicy",
  replyHeaders: ["ETag"],
  replies: { 200: Policy },
  summary: "Get the policy",
  description:
    "The `ETag` header contains the version. If no policy has been set, this returns the default policy with version 0.",
});

export const updatePolicyRoute = route("PUT /v1/policy", {
  id: "updatePolicy",
  capability: "policy.manage",
  body: PolicyRules,
  replyHeaders: ["ETag"],
  replies: { 200: Policy },
  errors: ["precondition_required", "precondition_failed"],
  summary: "Replace the policy",
  description:
    "Send the complete policy, for example the current one with changes, and its `ETag` in `If-Match`. Returns 428 without `If-Match`, and 412 if `If-Match` does not name the current version. The policy takes effect immediately. Retention applies to all existing conversations.",
});
