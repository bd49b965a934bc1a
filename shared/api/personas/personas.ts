import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Cursor, Id, IdParams, Limit, pageOf, Timestamp } from "../fields.ts";
import { defaultTier, Tier } from "../tiers.ts";
import { ToolName } from "../tools.ts";

const atMost = (characters: number) =>
  v.pipe(v.string(), v.maxLength(characters, `must have at most ${characters.toLocaleString("en")} characters`));
const Name = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1, "must not be empty"),
  v.maxLength(100, "must have at most 100 characters"),
);
const unique = <Entry>(entries: Entry[]) => [...new Set(entries)];

const Visibility = v.pipe(
  v.picklist(["private", "team", "org", "public"]),
  v.description(
    "Who may use it beside its owner and administrators: nobody, people who share a group with the owner, the tenant, or its visitors and API keys as well",
  ),
);

/** Where a persona answers on the OpenAI-compatible surface: `version` is the one pinned there. */
export const PersonaEndpoint = v.object({
  slug: v.string(),
  enabled: v.boolean(),
  published_at: Timestamp,
  version: v.number(),
});
/** Where a persona answers on the OpenAI-compatible surface. */
export type PersonaEndpoint = v.InferOutput<typeof PersonaEndpoint>;

/** Somebody the assistant can be: what it is told, what it knows and what it can do. */
export const Persona = v.object({
  id: Id,
  name: v.string(),
  description: v.string(),
  instructions: v.pipe(v.nullable(v.string()), v.description("Null for all but its owner and administrators")),
  visibility: Visibility,
  tier: Tier,
  collection_ids: v.array(Id),
  tools: v.array(ToolName),
  greeting: v.string(),
  starter_prompts: v.array(v.string()),
  owner_id: v.string(),
  version: v.pipe(v.number(), v.description("Goes up with every change")),
  endpoint: v.nullable(PersonaEndpoint),
  created_at: Timestamp,
  updated_at: Timestamp,
});
/** Somebody the assistant can be. */
export type Persona = v.InferOutput<typeof Persona>;

const fields = {
  name: Name,
  description: atMost(2_000),
  instructions: atMost(16_000),
  visibility: Visibility,
  tier: Tier,
  collection_ids: v.pipe(v.array(Id), v.maxLength(20, "must name at most 20 collections"), v.transform(unique)),
  tools: v.pipe(v.array(ToolName), v.transform(unique), v.description("The only tools it may use; none named: all")),
  greeting: atMost(2_000),
  starter_prompts: v.pipe(v.array(atMost(500)), v.maxLength(10, "must have at most 10 entries")),
};

const group = { group: "personas", auth: "jwt" } as const;

export const createPersona = defineRoute({
  ...group,
  id: "createPersona",
  method: "POST",
  path: "/v1/personas",
  body: v.strictObject({
    name: fields.name,
    description: v.optional(fields.description, ""),
    instructions: v.optional(fields.instructions, ""),
    visibility: v.optional(fields.visibility, "private"),
    tier: v.optional(fields.tier, defaultTier),
    collection_ids: v.optional(fields.collection_ids, []),
    tools: v.optional(fields.tools, []),
    greeting: v.optional(fields.greeting, ""),
    starter_prompts: v.optional(fields.starter_prompts, []),
  }),
  replies: { 201: Persona },
  summary: "Create a persona",
});

export const listPersonas = defineRoute({
  ...group,
  id: "listPersonas",
  method: "GET",
  path: "/v1/personas",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("personas", Persona) },
  errors: ["invalid_cursor"],
  summary: "List the personas the caller may use",
  description: "Newest first. Administrators see all of the tenant's.",
});

export const getPersona = defineRoute({
  ...group,
  id: "getPersona",
  method: "GET",
  path: "/v1/personas/{id}",
  params: IdParams,
  replies: { 200: Persona },
  errors: ["not_found"],
  summary: "Read a persona",
});

export const updatePersona = defineRoute({
  ...group,
  id: "updatePersona",
  method: "PATCH",
  path: "/v1/personas/{id}",
  params: IdParams,
  body: v.strictObject(v.partial(v.object(fields)).entries),
  replies: { 200: Persona },
  errors: ["not_found", "forbidden"],
  summary: "Change a persona",
  description:
    "Its owner and administrators can. The version goes up; what is published stays at the version it was published at.",
});

export const deletePersona = defineRoute({
  ...group,
  id: "deletePersona",
  method: "DELETE",
  path: "/v1/personas/{id}",
  params: IdParams,
  replies: { 204: null },
  errors: ["not_found", "forbidden", "conflict"],
  summary: "Delete a persona",
  description: "Its endpoint goes with it. Conversations that were bound to it go on without it.",
});

export const publishPersona = defineRoute({
  ...group,
  id: "publishPersona",
  method: "POST",
  path: "/v1/personas/{id}/publish",
  capability: "persona.publish",
  params: IdParams,
  body: v.strictObject({
    slug: v.optional(
      v.pipe(
        v.string(),
        v.regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "must be 1 to 63 of a-z, 0-9 and -, and not begin with -"),
        v.description("Unique within the tenant. By default the one it has, or else one made of its name"),
      ),
    ),
    enabled: v.optional(v.boolean(), true),
  }),
  replies: { 201: Persona, 200: Persona },
  errors: ["not_found", "forbidden", "conflict"],
  summary: "Publish a persona as a chat endpoint",
  description:
    "Pins the current version to the slug, which then is a `model` of the OpenAI-compatible surface, whatever the persona's visibility. Publishing it again pins the version it has then (200) and moves the endpoint where the slug is another one; `enabled: false` keeps the slug and answers there as if it were unknown.",
});

export const unpublishPersona = defineRoute({
  ...group,
  id: "unpublishPersona",
  method: "DELETE",
  path: "/v1/personas/{id}/publish",
  capability: "persona.publish",
  params: IdParams,
  replies: { 204: null },
  errors: ["not_found", "forbidden", "conflict"],
  summary: "Unpublish a persona",
  description: "Its slug is free again. A persona that is not published is a 404.",
});
