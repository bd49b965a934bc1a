import * as v from "valibot";
import { describe, Id, Integer, nonEmptyText, Timestamp, textOfAtMost, wholeNumber } from "../fields.ts";
import { StricterActions } from "../governance/guardrail-policy.ts";
import { Tier } from "../tiers.ts";
import { ServerToolName, ToolMode } from "../tools/tool-server.ts";
import { ToolName } from "../tools.ts";

/** Audience of a persona. */
export const PersonaVisibility = describe(
  v.picklist(["private", "team", "org", "public"]),
  "The audience of the persona in addition to its owner and administrators: none (`private`), users who share a group with the owner (`team`), all users in the tenant (`org`), or all users, website visitors and API keys of the tenant (`public`).",
);

/** Endpoint of a persona in the OpenAI-compatible API, pinned to one version of the persona. */
export const PersonaEndpoint = v.object({
  slug: v.string(),
  aliases: describe(v.array(v.string()), "Further model names, and patterns of names, that the endpoint answers."),
  enabled: v.boolean(),
  published_at: Timestamp,
  version: Integer,
});
export type PersonaEndpoint = v.InferOutput<typeof PersonaEndpoint>;

export const PersonaToolServer = v.strictObject({
  server_id: Id,
  mode: describe(
    v.optional(ToolMode, "auto"),
    "The weakest consent that calls need. The modes of the server apply where they are stricter.",
  ),
  tools: describe(
    v.optional(v.nullable(v.pipe(v.array(ServerToolName), v.maxLength(64, "must name at most 64 tools"))), null),
    "The tools of the server that the persona can use. Null for all.",
  ),
});
export type PersonaToolServer = v.InferOutput<typeof PersonaToolServer>;

/** Fields that a version of a persona records. */
export const PersonaContent = v.object({
  name: v.string(),
  description: v.string(),
  instructions: describe(
    v.nullable(v.string()),
    "The system prompt. Null unless the caller is the owner or an administrator.",
  ),
  visibility: PersonaVisibility,
  tier: Tier,
  model: describe(v.nullable(v.string()), "The model of the answers. Null for the model of the tier."),
  temperature: describe(v.nullable(v.number()), "Null for the default of the model."),
  max_output_tokens: describe(v.nullable(Integer), "The maximum length of an answer. Null for none."),
  collection_ids: v.array(Id),
  tools: v.array(ToolName),
  tool_servers: v.array(PersonaToolServer),
  api_tools: v.boolean(),
  greeting: v.string(),
  starter_prompts: v.array(v.string()),
  guardrails: StricterActions,
});

/** Version that some conversations get instead of the one that is published to everybody. */
export const PersonaRollout = v.object({
  version: Integer,
  group_ids: describe(v.array(Id), "The groups whose members get the version."),
  percent: describe(v.nullable(Integer), "The share of all other conversations that get the version. Null for none."),
});
export type PersonaRollout = v.InferOutput<typeof PersonaRollout>;

/** Thresholds that a version must reach in a test set before it is published. Null for those that do not apply. */
export const PersonaGate = v.object({
  set_id: Id,
  min_score: describe(v.nullable(v.number()), "The lowest mean score, from 0 to 1."),
  required_item_ids: describe(v.array(Id), "The items whose answers must fulfill all expectations."),
  max_cost_usd: describe(v.nullable(v.number()), "The highest mean cost of an answer."),
  max_latency_ms: describe(v.nullable(Integer), "The highest mean duration of an answer."),
});
export type PersonaGate = v.InferOutput<typeof PersonaGate>;

/** Reasons for which a gate stops a version. */
export const gateReasons = ["pending", "failed", "set_deleted", "draft_required"] as const;
export type GateReason = (typeof gateReasons)[number];

/** Configuration of the assistant: instructions, knowledge collections, tools and greeting. */
export const Persona = v.object({
  id: Id,
  ...PersonaContent.entries,
  owner_id: v.string(),
  version: describe(Integer, "The version that is published to everybody, whose fields these are."),
  latest_version: describe(
    v.nullable(Integer),
    "The number of the newest version, which can be a draft. Null unless the caller is the owner or an administrator.",
  ),
  rollouts: describe(
    v.array(PersonaRollout),
    "The versions that groups or a share of conversations get instead. Empty unless the caller is the owner or an administrator.",
  ),
  endpoint: v.nullable(PersonaEndpoint),
  gate: describe(
    v.nullable(PersonaGate),
    "The thresholds that a version must reach to be published. Null without one, and unless the caller is the owner or an administrator.",
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Persona = v.InferOutput<typeof Persona>;

/** Number of a version in a request. */
export const VersionNumber = wholeNumber(1, 1_000_000_000);

/** Why an administrator publishes a version that the gate of the persona stops. */
export const OverrideReason = describe(
  nonEmptyText(500),
  "Publishes the version although the gate of the persona stops it. Only for administrators; the audit trail records the reason.",
);

/** Note of the author on a version. */
export const VersionNote = describe(textOfAtMost(500), "Why the version was made.");
