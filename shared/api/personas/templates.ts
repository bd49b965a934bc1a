import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import {
  Cursor,
  describe,
  Id,
  Integer,
  Limit,
  nonEmptyText,
  pageOf,
  Timestamp,
  textOfAtMost,
  trimmedText,
} from "../fields.ts";

const VariableName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "must be letters, digits and _, starting with a letter or _"),
);

export const TemplateVariable = v.object({
  name: v.string(),
  required: v.boolean(),
  default: v.nullable(v.string()),
});
export type TemplateVariable = v.InferOutput<typeof TemplateVariable>;

const Visibility = describe(
  v.picklist(["private", "tenant"]),
  "The users who can use the template: only its owner (`private`) or all users in the tenant (`tenant`).",
);

/** Reusable prompt with `{{name}}` placeholders. */
export const Template = v.object({
  id: Id,
  name: v.string(),
  description: v.string(),
  body: v.string(),
  variables: v.array(TemplateVariable),
  category: v.string(),
  visibility: Visibility,
  is_system: describe(v.boolean(), "True if the template is part of the service. System templates cannot be changed."),
  owner_id: v.nullable(v.string()),
  version: Integer,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Template = v.InferOutput<typeof Template>;

const VariableInput = v.strictObject({
  name: VariableName,
  required: v.optional(v.boolean(), true),
  default: v.nullish(textOfAtMost(4_000), null),
});

const fields = {
  name: trimmedText(100),
  description: textOfAtMost(500),
  body: nonEmptyText(16_000),
  variables: v.pipe(
    v.array(VariableInput),
    v.maxLength(50, "must name at most 50 variables"),
    // A rendered template must fit into a message (32,000 characters), and the item into the 400 KB of DynamoDB.
    v.check(
      (variables) => variables.reduce((sum, variable) => sum + (variable.default?.length ?? 0), 0) <= 32_000,
      "must have defaults with at most 32,000 characters in total",
    ),
  ),
  category: trimmedText(50),
  visibility: Visibility,
};

const route = routeGroup({ group: "templates", auth: "jwt" });

export const createTemplateRoute = route("POST /v1/templates", {
  id: "createTemplate",
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
  description: "Placeholders in the body that are not listed in `variables` become required variables.",
});

export const listTemplatesRoute = route("GET /v1/templates", {
  id: "listTemplates",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("templates", Template) },
  summary: "List templates",
  description:
    "Returns the caller's own templates and those of the tenant in reverse chronological order, followed by system templates.",
});

export const searchTemplatesRoute = route("GET /v1/templates/search", {
  id: "searchTemplates",
  query: v.object({ q: trimmedText(200), limit: Limit }),
  replies: {
    200: v.object({
      query: v.string(),
      ...pageOf("templates", v.object({ ...Template.entries, score: v.number() })).entries,
    }),
  },
  summary: "Search templates",
  description:
    "Returns matching templates, best match first. Matches in the name rank highest. The search matches word prefixes and tolerates small typos. It covers system templates and the newest 500 templates each of the caller and of the tenant.",
});

export const getTemplateRoute = route("GET /v1/templates/{id}", {
  id: "getTemplate",
  replies: { 200: Template },
  summary: "Get a template",
});

export const updateTemplateRoute = route("PATCH /v1/templates/{id}", {
  id: "updateTemplate",
  body: v.strictObject(v.partial(v.object(fields)).entries),
  replies: { 200: Template },
  errors: ["forbidden", "system_template", "conflict"],
  summary: "Update a template",
  description:
    "Only the owner can update a template; administrators can also update templates of the tenant. Each update increments the version.",
});

export const deleteTemplateRoute = route("DELETE /v1/templates/{id}", {
  id: "deleteTemplate",
  errors: ["forbidden", "system_template"],
  summary: "Delete a template",
});

export const renderTemplateRoute = route("POST /v1/templates/{id}/render", {
  id: "renderTemplate",
  scope: "templates.read",
  idempotency: "none",
  body: v.strictObject({
    variables: v.optional(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])), {}),
  }),
  replies: { 200: v.object({ template_id: Id, version: Integer, text: v.string() }) },
  summary: "Render a template",
  description:
    "Replaces the placeholders with the given values. Values are inserted literally; placeholders within them are not replaced. `errors` lists missing and unknown variables. The rendered text has at most 32,000 characters, the limit of a message.",
});
