import { isDeepStrictEqual } from "node:util";
import { compilePattern, PatternError } from "./linear-pattern.ts";

type Json = unknown;
type Schema = Readonly<Record<string, Json>>;

const isObject = (value: Json): value is Schema => typeof value === "object" && value !== null && !Array.isArray(value);

const typeOf = (value: Json): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : Number.isInteger(value) ? "integer" : typeof value;

const isOfType = (value: Json, type: Json) =>
  typeOf(value) === type || (type === "number" && typeOf(value) === "integer");

const lengthOf = (text: string) => [...text].length;

/** Returns a check of one keyword. It applies to the types of values that the keyword is about. */
type Check = (value: Json, argument: Json, schema: Schema) => boolean;

const ofNumber = (holds: (value: number, limit: number) => boolean): Check => {
  return (value, limit) => typeof value !== "number" || holds(value, Number(limit));
};
const ofText = (holds: (length: number, limit: number) => boolean): Check => {
  return (value, limit) => typeof value !== "string" || holds(lengthOf(value), Number(limit));
};
const ofArray = (holds: (value: readonly Json[], argument: Json) => boolean): Check => {
  return (value, argument) => !Array.isArray(value) || holds(value, argument);
};
const ofObject = (holds: (value: Schema, argument: Json, schema: Schema) => boolean): Check => {
  return (value, argument, schema) => !isObject(value) || holds(value, argument, schema);
};

/** Checks by keyword of JSON Schema 2020-12. */
const checks: Readonly<Record<string, Check>> = {
  type: (value, types) => [types].flat().some((type) => isOfType(value, type)),
  enum: (value, values) => (values as Json[]).some((each) => isDeepStrictEqual(each, value)),
  const: (value, expected) => isDeepStrictEqual(value, expected),
  minimum: ofNumber((value, limit) => value >= limit),
  maximum: ofNumber((value, limit) => value <= limit),
  exclusiveMinimum: ofNumber((value, limit) => value > limit),
  exclusiveMaximum: ofNumber((value, limit) => value < limit),
  minLength: ofText((length, limit) => length >= limit),
  maxLength: ofText((length, limit) => length <= limit),
  pattern: (value, pattern) => typeof value !== "string" || compilePattern(String(pattern), false)(value),
  minItems: ofArray((value, limit) => value.length >= Number(limit)),
  maxItems: ofArray((value, limit) => value.length <= Number(limit)),
  items: ofArray((value, schema) => value.every((each) => matchesSchema(schema, each))),
  required: ofObject((value, names) => (names as string[]).every((name) => Object.hasOwn(value, name))),
  properties: ofObject((value, schemas) =>
    Object.entries(schemas as Schema).every(
      ([name, schema]) => !Object.hasOwn(value, name) || matchesSchema(schema, value[name]),
    ),
  ),
  additionalProperties: ofObject((value, allowed, { properties = {} }) =>
    Object.entries(value).every(
      ([name, each]) => Object.hasOwn(properties as Schema, name) || matchesSchema(allowed, each),
    ),
  ),
  allOf: (value, schemas) => (schemas as Json[]).every((schema) => matchesSchema(schema, value)),
  anyOf: (value, schemas) => (schemas as Json[]).some((schema) => matchesSchema(schema, value)),
  not: (value, schema) => !matchesSchema(schema, value),
};

/** Keywords that describe a value and check nothing. */
const annotations: ReadonlySet<string> = new Set(["$schema", "$id", "title", "description", "default", "examples"]);

const kindOfArgument = (keyword: string): "schema" | "schemas" | "list" | "number" | "text" | "any" => {
  if (["items", "additionalProperties", "not"].includes(keyword)) return "schema";
  if (["allOf", "anyOf"].includes(keyword)) return "schemas";
  if (["enum", "required"].includes(keyword)) return "list";
  if (/^(?:min|max|exclusive)/.test(keyword)) return "number";
  return keyword === "pattern" ? "text" : "any";
};

function findArgumentProblem(keyword: string, argument: Json): string | null {
  const kind = kindOfArgument(keyword);
  if (keyword === "properties") {
    if (!isObject(argument)) return "properties must be an object";
    return (
      Object.values(argument)
        .map(findSchemaProblem)
        .find((problem) => problem !== null) ?? null
    );
  }
  if (kind === "schema") return findSchemaProblem(argument);
  if (kind === "number") return typeof argument === "number" ? null : `${keyword} must be a number`;
  if (kind === "schemas" || kind === "list") {
    if (!Array.isArray(argument)) return `${keyword} must be a list`;
    return kind === "list" ? null : (argument.map(findSchemaProblem).find((problem) => problem !== null) ?? null);
  }
  if (kind !== "text") return null;
  try {
    compilePattern(String(argument), false);
    return null;
  } catch (error) {
    if (error instanceof PatternError) return `pattern ${error.message}`;
    throw error;
  }
}

/** Returns why a schema cannot be used; null if it can. Keywords that would not be checked are a problem, too. */
export function findSchemaProblem(schema: Json): string | null {
  if (typeof schema === "boolean") return null;
  if (!isObject(schema)) return "must be a JSON schema";
  for (const [keyword, argument] of Object.entries(schema)) {
    if (annotations.has(keyword)) continue;
    if (!Object.hasOwn(checks, keyword)) return `does not support the keyword ${keyword}`;
    const problem = findArgumentProblem(keyword, argument);
    if (problem) return problem;
  }
  return null;
}

/** Returns true if a value matches a schema without problems (`findSchemaProblem`). */
export function matchesSchema(schema: Json, value: Json): boolean {
  if (!isObject(schema)) return schema !== false;
  return Object.entries(schema).every(
    ([keyword, argument]) => annotations.has(keyword) || checks[keyword]?.(value, argument, schema),
  );
}
