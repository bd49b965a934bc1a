import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Cursor, Id, IdParams, Limit, pageOf, Timestamp } from "../fields.ts";

const atMost = (characters: number) =>
  v.pipe(v.string(), v.maxLength(characters, `must have at most ${characters.toLocaleString("en")} characters`));
const filled = (characters: number) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1, "must not be empty"),
    v.maxLength(characters, `must have at most ${characters} characters`),
  );

const VariableName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "must be letters, digits and _, beginning with a letter or _"),
);

/** What a placeholder stands for. */
export const TemplateVariable = v.object({
  name: v.string(),
  required: v.boolean(),
  default: v.nullable(v.string()),
});
/** What a placeholder stands for. */
export type TemplateVariable = v.InferOutput<typeof TemplateVariable>;

const Visibility = v.pipe(
  v.picklist(["private", "tenant"]),
  v.description("Who finds it: its owner alone, or everybody in the tenant"),
);

/** A prompt to use again, with placeholders `{{name}}`. */
export const Template = v.object({
  id: Id,
  name: v.string(),
  description: v.string(),
  body: v.string(),
  variables: v.array(TemplateVariable),
  category: v.string(),
  visibility: Visibility,
  is_system: v.pipe(v.boolean(), v.description("Part of the service: the same for everybody, and nobody's to change")),
  owner_id: v.nullable(v.string()),
  version: v.number(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
/** A prompt to use again. */
export type Template = v.InferOutput<typeof Template>;

const GivenVariable = v.strictObject({
  name: VariableName,
  required: v.optional(v.boolean(), true),
  default: v.nullish(atMost(4_000), null),
});

const fields = {
  name: filled(100),
  description: atMost(500),
  body: v.pipe(
    v.string(),
    v.minLength(1, "must not be empty"),
    v.maxLength(16_000, "must have at most 16,000 characters"),
  ),
  variables: v.pipe(
    v.array(GivenVariable),
    v.maxLength(50, "must name at most 50 variables"),
    // A message has no room for more, and an item of the table has 400 KB.
    v.check(
      (variables) => variables.reduce((sum, variable) => sum + (variable.default?.length ?? 0), 0) <= 32_000,
      "must have defaults of at most 32,000 characters together",
    ),
  ),
  category: filled(50),
  visibility: Visibility,
};

const group = { group: "templates", auth: "jwt" } as const;

export const createTemplate = defineRoute({
  ...group,
  id: "createTemplate",
  method: "POST",
  path: "/v1/templates",
  body: v.strictObject({
    name: fields.name,
    description: v.optional(fields.description, ""),
    body: fields.body,
    variables: v.optional(fields.variables, []),
    category: v.optional(fields.category, "general"),
    visibility: v.optional(fields.visibility, "private"),
  }),
  replies: { 201: Template },
  summary: "Create a template",
  description: "A placeholder of the body that `variables` does not name becomes a required variable.",
});

export const listTemplates = defineRoute({
  ...group,
  id: "listTemplates",
  method: "GET",
  path: "/v1/templates",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("templates", Template) },
  errors: ["invalid_cursor"],
  summary: "List templates",
  description: "The caller's, the tenant's, and at the end those of the service; newest first.",
});

export const searchTemplates = defineRoute({
  ...group,
  id: "searchTemplates",
  method: "GET",
  path: "/v1/templates/search",
  query: v.object({ q: filled(200), limit: Limit }),
  replies: {
    200: v.object({
      query: v.string(),
      ...pageOf("templates", v.object({ ...Template.entries, score: v.number() })).entries,
    }),
  },
  summary: "Search templates",
  description:
    "Best first; the name counts most. Beginnings of words and small misspellings are found. Ranks the templates of the service and the newest 500 each of the caller's and the tenant's.",
});

export const getTemplate = defineRoute({
  ...group,
  id: "getTemplate",
  method: "GET",
  path: "/v1/templates/{id}",
  params: IdParams,
  replies: { 200: Template },
  errors: ["not_found"],
  summary: "Read a template",
});

export const updateTemplate = defineRoute({
  ...group,
  id: "updateTemplate",
  method: "PATCH",
  path: "/v1/templates/{id}",
  params: IdParams,
  body: v.strictObject(v.partial(v.object(fields)).entries),
  replies: { 200: Template },
  errors: ["not_found", "forbidden", "system_template", "conflict"],
  summary: "Change a template",
  description: "Its owner can, and administrators the tenant's. The version goes up.",
});

export const deleteTemplate = defineRoute({
  ...group,
  id: "deleteTemplate",
  method: "DELETE",
  path: "/v1/templates/{id}",
  params: IdParams,
  replies: { 204: null },
  errors: ["not_found", "forbidden", "system_template"],
  summary: "Delete a template",
});

export const renderTemplate = defineRoute({
  ...group,
  id: "renderTemplate",
  method: "POST",
  path: "/v1/templates/{id}/render",
  idempotency: "none",
  params: IdParams,
  body: v.strictObject({
    variables: v.optional(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])), {}),
  }),
  replies: { 200: v.object({ template_id: Id, version: v.number(), text: v.string() }) },
  errors: ["not_found"],
  summary: "Fill a template in",
  description:
    "Values are put in as they are; placeholders in them mean nothing. Every variable that is missing, or that the template does not have, is named in `errors`. The text can be sent as a message: it has at most 32,000 characters.",
});
