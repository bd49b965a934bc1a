import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Limit, lineOf, pageOf, textOfAtMost } from "../fields.ts";
import { StricterActions } from "../governance/guardrail-policy.ts";
import { defaultTier, Tier } from "../tiers.ts";
import { ToolName } from "../tools.ts";
import { modelNamePattern } from "./model-name.ts";
import {
  OverrideReason,
  Persona,
  PersonaToolServer,
  PersonaVisibility,
  VersionNote,
  VersionNumber,
} from "./persona.ts";

const Name = lineOf(100);
const unique = <Entry>(entries: Entry[]) => [...new Set(entries)];

const ModelName = v.pipe(
  v.string(),
  v.regex(
    new RegExp(`^${modelNamePattern}$`),
    "must be 1 to 128 characters from A-Z a-z 0-9 . _ : / @ -, and must start with a letter or digit",
  ),
);
/** Model name, or the beginning of model names up to a separator, followed by `*`. */
const ModelAlias = v.pipe(
  v.string(),
  v.regex(
    /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$|^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,125}[._:/@-]\*$/,
    "must be a model name, or its beginning such as claude-* that ends with a separator and *",
  ),
);
const MAX_ALIASES = 10;

const fields = {
  name: Name,
  description: textOfAtMost(2_000),
  instructions: textOfAtMost(16_000),
  visibility: PersonaVisibility,
  tier: Tier,
  model: v.nullable(v.pipe(v.string(), v.minLength(1, "must not be empty"), v.maxLength(200))),
  temperature: v.nullable(v.pipe(v.number(), v.minValue(0, "must be at least 0"), v.maxValue(2, "must be at most 2"))),
  max_output_tokens: v.nullable(
    v.pipe(v.number(), v.integer("must be a whole number"), v.minValue(1, "must be at least 1")),
  ),
  collection_ids: v.pipe(v.array(Id), v.maxLength(20, "must name at most 20 collections"), v.transform(unique)),
  tools: describe(
    v.pipe(v.array(ToolName), v.transform(unique)),
    "The tools that the persona can use. An empty list allows all tools but `web_search` and `read_page`, which need a search provider of the deployment and run in the tiers THINKING, RESEARCH and THOUGHT_PARTNER; the others run in THOUGHT_PARTNER.",
  ),
  tool_servers: describe(
    v.pipe(
      v.array(PersonaToolServer),
      v.maxLength(8, "must name at most 8 servers"),
      v.check(
        (servers) => new Set(servers.map(({ server_id }) => server_id)).size === servers.length,
        "must name each server once",
      ),
    ),
    "The tool servers that the persona uses, in the tiers THINKING (one round of calls), RESEARCH and THOUGHT_PARTNER. Visitors of websites cannot use them; embed keys have `tools`.",
  ),
  api_tools: describe(
    v.boolean(),
    "True if tools run here when clients of the OpenAI-compatible API use the persona: those of its servers in the mode `auto`, and of its own tools `calculate`, `current_time`, `web_search` and `read_page`, in the same tiers as in a chat. Takes effect with the next publication.",
  ),
  greeting: textOfAtMost(2_000),
  starter_prompts: v.pipe(v.array(textOfAtMost(500)), v.maxLength(10, "must have at most 10 entries")),
  guardrails: StricterActions,
};

const route = routeGroup({ group: "personas", auth: "jwt" });

export const createPersonaRoute = route("POST /v1/personas", {
  id: "createPersona",
  body: v.strictObject({
    name: fields.name,
    description: v.optional(fields.description, ""),
    instructions: v.optional(fields.instructions, ""),
    visibility: v.optional(fields.visibility, "private"),
    tier: v.optional(fields.tier, defaultTier),
    model: v.optional(fields.model, null),
    temperature: v.optional(fields.temperature, null),
    max_output_tokens: v.optional(fields.max_output_tokens, null),
    collection_ids: v.optional(fields.collection_ids, []),
    tools: v.optional(fields.tools, []),
    tool_servers: v.optional(fields.tool_servers, []),
    api_tools: v.optional(fields.api_tools, false),
    greeting: v.optional(fields.greeting, ""),
    starter_prompts: v.optional(fields.starter_prompts, []),
    guardrails: v.optional(fields.guardrails, {}),
    note: v.optional(VersionNote),
  }),
  replies: { 201: Persona },
  summary: "Create a persona",
});

export const listPersonasRoute = route("GET /v1/personas", {
  id: "listPersonas",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("personas", Persona) },
  summary: "List personas",
  description:
    "Returns the personas that the caller can use in reverse chronological order. Administrators see all personas of the tenant.",
});

export const getPersonaRoute = route("GET /v1/personas/{id}", {
  id: "getPersona",
  replies: { 200: Persona },
  summary: "Get a persona",
});

export const updatePersonaRoute = route("PATCH /v1/personas/{id}", {
  id: "updatePersona",
  body: v.strictObject({
    ...v.partial(v.object(fields)).entries,
    note: v.optional(VersionNote),
    publish: describe(
      v.optional(v.boolean(), true),
      "False to save a draft: a version that only the owner and administrators can use. It cannot change `visibility`, which applies at once.",
    ),
    base_version: describe(
      v.optional(VersionNumber),
      "The version that the changes are applied to. Defaults to the one that is published to everybody.",
    ),
  }),
  replies: { 200: Persona },
  errors: ["forbidden", "conflict"],
  summary: "Update a persona",
  description:
    "Only the owner and administrators can update a persona. Each update makes a version, which `getPersonaVersion` returns, and publishes it to everybody, which ends other publications of versions; with `publish: false`, it stays a draft. A published endpoint stays pinned to the version at publication. If the persona has a gate, an update that changes more than `visibility` must be a draft.",
});

export const deletePersonaRoute = route("DELETE /v1/personas/{id}", {
  id: "deletePersona",
  errors: ["forbidden", "conflict"],
  summary: "Delete a persona",
  description: "Also deletes the endpoint of the persona. Conversations with the persona continue without it.",
});

export const publishPersonaRoute = route("POST /v1/personas/{id}/publish", {
  id: "publishPersona",
  capability: "persona.publish",
  body: v.strictObject({
    slug: describe(
      v.optional(ModelName),
      "The slug of the endpoint, unique within the tenant. Defaults to the current slug, or to one derived from the name.",
    ),
    aliases: describe(
      v.optional(v.pipe(v.array(ModelAlias), v.maxLength(MAX_ALIASES, `must have at most ${MAX_ALIASES} names`))),
      "Further names of the endpoint, for programs with default model names or that derive abilities from the name: names such as `gpt-4.1`, and patterns such as `claude-*`. The longest pattern applies to a name that is no name of an endpoint. Defaults to the current ones.",
    ),
    enabled: v.optional(v.boolean(), true),
    version: describe(
      v.optional(VersionNumber),
      "The version that the endpoint answers with. Defaults to the one that is published to everybody.",
    ),
    override_reason: v.optional(OverrideReason),
  }),
  replies: { 201: Persona, 200: Persona },
  errors: ["forbidden", "conflict"],
  summary: "Publish a persona as a chat endpoint",
  description:
    "Publishes one version under the slug, which becomes a `model` in the OpenAI-compatible API regardless of the persona's visibility. Publishing again pins the version that is named, or published to everybody, at that time and returns 200. A different slug moves the endpoint. `enabled: false` reserves the slug, but requests to it fail as if it did not exist. The gate of the persona applies as in `publishPersonaVersion`, unless `enabled` is false.",
});

export const unpublishPersonaRoute = route("DELETE /v1/personas/{id}/publish", {
  id: "unpublishPersona",
  capability: "persona.publish",
  errors: ["forbidden", "conflict"],
  summary: "Unpublish a persona",
  description: "Releases the slug. Returns 404 if the persona is not published.",
});
