import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Integer, Limit, PathId, pageOf, Timestamp, wholeNumber } from "../fields.ts";
import { OverrideReason, Persona, PersonaContent, VersionNote } from "./persona.ts";

/** Maximum number of versions that groups or a share of conversations get. */
export const MAX_ROLLOUTS = 10;

/** Maximum number of groups that get one version. */
const MAX_GROUPS = 50;

const summaryFields = {
  persona_id: Id,
  version: Integer,
  author_id: v.string(),
  note: v.nullable(v.string()),
  restored_from: describe(v.nullable(Integer), "The version whose fields were restored. Null for other versions."),
  created_at: Timestamp,
};

/** Version as lists show it, without the fields of the persona. */
export const PersonaVersionSummary = v.object(summaryFields);
export type PersonaVersionSummary = v.InferOutput<typeof PersonaVersionSummary>;

/** State of a persona after one of its changes, which nothing changes afterwards. */
export const PersonaVersion = v.object({
  ...summaryFields,
  revisions: describe(
    v.object({
      policy: describe(Integer, "The version of the tenant's policy."),
      model: v.object({
        name: describe(v.nullable(v.string()), "Null for the model of the tier."),
        updated_at: describe(v.nullable(Timestamp), "Null for models of the deployment."),
      }),
      tool_servers: v.array(v.object({ id: Id, version: Integer })),
    }),
    "The revisions of what the version refers to, when it was made.",
  ),
  ...PersonaContent.entries,
});
export type PersonaVersion = v.InferOutput<typeof PersonaVersion>;

const route = routeGroup({ group: "personas", auth: "jwt" });

const VersionParams = v.object({
  id: PathId,
  version: v.pipe(v.string(), v.regex(/^[1-9]\d{0,8}$/), v.description("The number of a version.")),
});

export const listPersonaVersionsRoute = route("GET /v1/personas/{id}/versions", {
  id: "listPersonaVersions",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("versions", PersonaVersionSummary) },
  errors: ["forbidden"],
  summary: "List the versions of a persona",
  description:
    "Returns the versions in reverse order, without their fields. Each update of a persona makes one; none is changed or deleted while the persona exists. Only the owner and administrators can list them.",
});

export const getPersonaVersionRoute = route("GET /v1/personas/{id}/versions/{version}", {
  id: "getPersonaVersion",
  params: VersionParams,
  replies: { 200: PersonaVersion },
  errors: ["forbidden"],
  summary: "Get a version of a persona",
  description: "Only the owner and administrators can get a version.",
});

export const restorePersonaVersionRoute = route("POST /v1/personas/{id}/versions/{version}/restore", {
  id: "restorePersonaVersion",
  params: VersionParams,
  body: v.strictObject({
    note: v.optional(VersionNote),
    publish: describe(v.optional(v.boolean(), true), "False to restore the version as a draft."),
  }),
  replies: { 201: PersonaVersion },
  errors: ["forbidden", "conflict"],
  summary: "Restore a version of a persona",
  description:
    "Makes a new version with the fields of an earlier one, and publishes it to everybody like an update. The visibility stays as it is now.",
});

export const publishPersonaVersionRoute = route("POST /v1/personas/{id}/versions/{version}/publish", {
  id: "publishPersonaVersion",
  params: VersionParams,
  body: v.strictObject({
    group_ids: describe(
      v.optional(v.pipe(v.array(Id), v.maxLength(MAX_GROUPS, `must name at most ${MAX_GROUPS} groups`)), []),
      "The groups whose members get the version, in place of those that got it before. They get no other version.",
    ),
    percent: describe(
      v.optional(v.nullable(wholeNumber(1, 99)), null),
      "The share of the other conversations that get the version. Each conversation stays with its version while the share is not lowered. Only one version has a share: it takes the place of another one.",
    ),
    override_reason: v.optional(OverrideReason),
  }),
  replies: { 200: Persona },
  errors: ["forbidden", "conflict"],
  summary: "Publish a version of a persona",
  description:
    "Publishes a version to everybody, to groups, or to a share of conversations. Without `group_ids` and `percent`, everybody gets it, and other publications end. API keys of the OpenAI-compatible API get the version of the endpoint (`publishPersona`). A version that the gate of the persona stops is a 409 with `gate`: if its test set was not run with the version since its items changed, the request starts the run; repeat it when the run has ended.",
});

export const withdrawPersonaVersionRoute = route("DELETE /v1/personas/{id}/versions/{version}/publish", {
  id: "withdrawPersonaVersion",
  params: VersionParams,
  errors: ["forbidden", "conflict"],
  summary: "Withdraw a version of a persona",
  description:
    "Ends the publication of a version to groups and a share of conversations, which then get the version that is published to everybody. Returns 404 if it is not published so, and 409 for the version that everybody gets.",
});
