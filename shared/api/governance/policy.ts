import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Timestamp } from "../fields.ts";

/** How bad it may be if something goes wrong. */
export const RiskLevel = v.picklist(["low", "medium", "high", "critical"]);
/** How bad it may be if something goes wrong. */
export type RiskLevel = v.InferOutput<typeof RiskLevel>;

/** Formats in which a conversation can be taken out. */
export const ExportFormat = v.picklist(["json", "markdown"]);
/** A format in which a conversation can be taken out. */
export type ExportFormat = v.InferOutput<typeof ExportFormat>;

const text = (most: number) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1, "must not be empty"),
    v.maxLength(most, `must have at most ${most} characters`),
  );

const unique = <Entry>(entries: Entry[]) => new Set(entries).size === entries.length;

const Banner = v.strictObject({ text: text(500), level: v.picklist(["info", "warning", "critical"]) });

const Classification = v.pipe(
  v.strictObject({
    levels: v.pipe(
      v.array(text(50)),
      v.minLength(1, "must name at least one level"),
      v.maxLength(20, "must name at most 20 levels"),
      v.check(unique, "must not name a level twice"),
    ),
    default: text(50),
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

const SignOff = v.picklist(["never", "always"]);

const rules = {
  banner: v.nullable(Banner),
  classification: Classification,
  retention: v.strictObject({
    conversation_days: v.pipe(
      v.nullable(
        v.pipe(
          v.number(),
          v.integer("must be a whole number"),
          v.minValue(1, "must be at least 1"),
          v.maxValue(36_500, "must be at most 36,500"),
        ),
      ),
      v.description("Days after its last activity that a conversation is kept; null keeps it"),
    ),
  }),
  export: v.strictObject({
    allowed: v.boolean(),
    formats: v.pipe(v.array(ExportFormat), v.check(unique, "must not name a format twice")),
  }),
  approvals: v.strictObject({
    share_link: SignOff,
    export: SignOff,
    tool_execution: SignOff,
    data_access: SignOff,
    risk_level: RiskLevel,
  }),
  memory: v.strictObject({ enabled: v.boolean() }),
};

/** What a tenant has decided about the use of the service. */
export const Policy = v.object({
  ...rules,
  version: v.pipe(v.number(), v.description("0 until a policy is set")),
  updated_at: v.nullable(Timestamp),
  updated_by: v.nullable(v.string()),
});
/** What a tenant has decided about the use of the service. */
export type Policy = v.InferOutput<typeof Policy>;

/** A policy as somebody sets it. */
const PolicyRules = v.strictObject(rules);
/** A policy without what says which one it is. */
export type PolicyRules = v.InferOutput<typeof PolicyRules>;

/** The part of a policy that everybody gets to see with everything else. */
export const PolicyNotice = v.object({ banner: v.nullable(Banner), classification: Classification });

const policy = { group: "policy", path: "/v1/policy", auth: "jwt" } as const;

export const getPolicy = defineRoute({
  ...policy,
  id: "getPolicy",
  method: "GET",
  replies: { 200: Policy },
  summary: "Read the tenant's policy",
  description: "`ETag` is its version in quotes. Where none was set it is the default one, version 0.",
});

export const updatePolicy = defineRoute({
  ...policy,
  id: "updatePolicy",
  method: "PUT",
  capability: "policy.manage",
  body: PolicyRules,
  replies: { 200: Policy },
  errors: ["precondition_required", "precondition_failed"],
  summary: "Replace the tenant's policy",
  description:
    "The whole policy, with the `ETag` of the one it replaces in `If-Match`: without it 428, with another one 412. It holds from the next request on; retention is applied to all conversations there are.",
});
