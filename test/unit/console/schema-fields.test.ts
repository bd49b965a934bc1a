import { expect, it } from "vitest";
import {
  type Draft,
  readDrafts,
  type SchemaField,
  toBodyRule,
  toDraft,
  toFields,
} from "../../../functions/web/console/lib/schema-fields.ts";
import { findBodySchema } from "../../../infra/bundle/body-schemas.ts";
import { ProblemError } from "../../../shared/client/problem.ts";

const schema = {
  type: "object",
  properties: {
    title: { type: "string", title: "Title", minLength: 3, maxLength: 5 },
    count: { type: "integer", minimum: 1, maximum: 9 },
    share: { type: ["number", "null"] },
    urgent: { type: "boolean" },
    color: { enum: ["red", "blue"] },
    level: { enum: [1, 2] },
    day: { anyOf: [{ type: "string", format: "date" }, { type: "null" }] },
    tags: { type: "array", items: { type: "string" } },
  },
  required: ["title", "count"],
};

type Json = Readonly<Record<string, unknown>>;

const toDrafts = (fields: readonly SchemaField[], value: Json): Json =>
  Object.fromEntries(fields.map((field) => [field.name, toDraft(field, value[field.name])]));

const readAll = (fields: readonly SchemaField[], drafts: Readonly<Record<string, Draft>>) =>
  readDrafts(
    fields.map((rule) => ({ name: `params.${rule.name}`, keys: [rule.name], rule })),
    (name) => drafts[name.replace("params.", "")],
  );

const errorsOf = (read: () => unknown): Record<string, string> => {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return Object.fromEntries((error.problem.errors ?? []).map(({ path, message }) => [path, message]));
  }
  return {};
};

it("toFields() returns a field of its own for each flat property, and a JSON field for other properties", () => {
  expect(toFields(schema, {}).map(({ name, type }) => [name, type])).toEqual([
    ["count", "integer"],
    ["title", "text"],
    ["color", "choice"],
    ["day", "date"],
    ["level", "choice"],
    ["share", "number"],
    ["tags", "json"],
    ["urgent", "boolean"],
  ]);
});

it("toFields() derives the type of a field from its value when the schema does not name the property", () => {
  const value = { ship: "Ada", crew: 3, armed: false, route: ["a"], captain: null };
  expect(toFields({}, value).map(({ name, type }) => [name, type])).toEqual([
    ["armed", "boolean"],
    ["captain", "json"],
    ["crew", "number"],
    ["route", "json"],
    ["ship", "text"],
  ]);
});

it("toFields() returns fields that can show values which the schema does not allow", () => {
  const fields = toFields(schema, { title: { de: "Titel" }, color: "green" });
  expect(fields.find(({ name }) => name === "title")?.type).toBe("json");
  expect(fields.find(({ name }) => name === "color")?.options).toEqual(["red", "blue", "green"]);
});

it("toFields() returns a text field for a date property whose value is not a date", () => {
  const typeOfDay = (day: string) => toFields(schema, { day }).find(({ name }) => name === "day")?.type;
  expect([typeOfDay("2026-01-02"), typeOfDay("tomorrow")]).toEqual(["date", "text"]);
});

it.each([
  { title: "Ada", count: 3, share: 0.5, urgent: false, color: "red", level: 2, day: "2026-01-02", tags: ["a", "b"] },
  { title: "Ada", count: 3 },
  { title: "Ada", count: 3, extra: "kept", deep: { list: [null] } },
  { title: { de: "Titel" }, count: "three", color: "green" },
  { title: "", count: null, share: null, urgent: null, color: null, day: "tomorrow", extra: "" },
])("readDrafts() returns unchanged an object that the user did not edit: %j", (value) => {
  const fields = toFields(schema, value);
  expect(readAll(fields, toDrafts(fields, value))).toEqual(value);
});

it("readDrafts() omits a field that the user empties", () => {
  const value = { title: "Ada", count: 3, share: 0.5, color: "red", tags: [] };
  const fields = toFields(schema, value);
  const drafts = { ...toDrafts(fields, value), share: "", color: "", tags: "" };
  expect(readAll(fields, drafts)).toEqual({ title: "Ada", count: 3 });
});

it("readDrafts() returns null for an empty field that is required and may be null", () => {
  const properties = {
    title: { type: ["string", "null"] },
    day: { anyOf: [{ type: "string" }, { type: "null" }] },
    color: { enum: ["red", null] },
    urgent: { type: ["boolean", "null"] },
  };
  const fields = toFields({ properties, required: Object.keys(properties) }, { title: "Ada" });
  const drafts = { ...toDrafts(fields, {}), title: "" };
  expect(readAll(fields, drafts)).toEqual({ title: null, day: null, color: null, urgent: null });
});

it("readDrafts() names each field that is not valid", () => {
  const read = (drafts: object) =>
    errorsOf(() => readAll(toFields(schema, {}), { title: "Ada", count: "3", ...drafts }));
  expect(read({ title: "", count: "" })).toEqual({
    "params.title": "must not be empty",
    "params.count": "must not be empty",
  });
  expect(read({ title: "Grace", count: "1.5", share: "half", tags: "[" })).toEqual({
    "params.count": "must be a whole number",
    "params.share": "must be a number",
    "params.tags": "must be valid JSON",
  });
  expect(read({ title: "Al", count: "0" })).toEqual({
    "params.title": "must have at least 3 characters",
    "params.count": "must be at least 1",
  });
  expect(read({ title: "Barbara", count: "10" })).toEqual({
    "params.title": "must have at most 5 characters",
    "params.count": "must be at most 9",
  });
});

const document = {
  paths: {
    "/v1/things": {
      post: {
        requestBody: {
          content: {
            "application/json": {
              schema: {
                properties: {
                  name: { type: "string", pattern: "^[a-z]+$", maxLength: 9, description: "A name." },
                  about: { type: "string", default: "" },
                  plan: { anyOf: [{ type: "string", minLength: 1 }, { type: "null" }] },
                  banner: {
                    anyOf: [{ type: "object", properties: { text: {} }, required: ["text"] }, { type: "null" }],
                  },
                  colors: { type: "object", additionalProperties: { type: "string", maxLength: 7 } },
                  days: { type: "integer", minimum: 1, maximum: 30, default: 7 },
                  tags: { type: "array", items: { type: "string" }, minItems: 1 },
                  auth: {
                    anyOf: [
                      { type: "object", properties: { type: { const: "none" } }, required: ["type"] },
                      {
                        type: "object",
                        properties: { secret: { type: "string", minLength: 1 } },
                        required: ["secret"],
                      },
                    ],
                  },
                },
                required: ["name", "tags", "auth", "banner"],
              },
            },
          },
        },
      },
    },
  },
};
const body = findBodySchema(document, "/v1/things", "post");
const names = ["name", "about", "plan", "days", "tags", "auth.secret"];
const readBody = (drafts: Readonly<Record<string, Draft>>) =>
  readDrafts(
    names.map((name) => ({ name, rule: toBodyRule(body, name) })),
    (name) => drafts[name],
  );

it("findBodySchema() leaves out texts and patterns, and rejects an operation without a body", () => {
  expect(JSON.stringify(body)).not.toMatch(/A name|\[a-z\]/);
  expect(() => findBodySchema(document, "/v1/things", "patch")).toThrow("patch /v1/things");
});

it("toBodyRule() returns limits, default and whether a value is required, also within an alternative", () => {
  expect(toBodyRule(body, "days")).toMatchObject({ type: "integer", minimum: 1, maximum: 30, preset: 7 });
  expect(names.filter((name) => toBodyRule(body, name).isRequired)).toEqual(["name", "tags", "auth.secret"]);
  expect(toBodyRule(body, "banner.text").isRequired).toBe(false);
  expect(toBodyRule(body, "colors.text")).toMatchObject({ type: "text", maximum: 7 });
  expect(toBodyRule(body, "auth.type")).toMatchObject({ type: "choice", options: ["none"] });
});

it("readDrafts() sends empty fields of a body as an empty text or null where the schema allows it", () => {
  expect(readBody({ name: "ada", tags: "a, b,", "auth.secret": "s" })).toEqual({
    name: "ada",
    about: "",
    plan: null,
    tags: ["a", "b"],
    auth: { secret: "s" },
  });
});

it("readDrafts() names each value that the schema of a body does not allow", () => {
  expect(errorsOf(() => readBody({ name: " ", days: "31", tags: [] }))).toEqual({
    name: "must not be empty",
    days: "must be at most 30",
    tags: "must not be empty",
    "auth.secret": "must not be empty",
  });
});
