import { ProblemError } from "../../../../shared/client/problem.ts";

type Json = Readonly<Record<string, unknown>>;

/** Kind of the input for a value, and what the value may be. */
export interface FieldRule {
  /**
   * Kind of input; `json` for values without a field of their own, such as lists and objects. In request bodies, these are `list`
   * and `value`.
   */
  readonly type: "text" | "date" | "number" | "integer" | "boolean" | "choice" | "json" | "list" | "value";
  readonly isRequired: boolean;
  /** Value that an empty field stands for; undefined if the property is then left out. */
  readonly emptyValue: "" | null | undefined;
  /** Values to choose from, for the type `choice`; otherwise empty. */
  readonly options: readonly (string | number | boolean)[];
  /** Limits of a number, or of the length of a text; null for none. */
  readonly minimum: number | null;
  readonly maximum: number | null;
  /** Value that the service assumes if the property is left out. */
  readonly preset?: unknown;
}

/** Form field for one property of an object with a JSON Schema. */
export interface SchemaField extends FieldRule {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
}

/** Input of a user in a field; undefined if the property is left out. The input of a choice between other values than texts is JSON. */
export type Draft = unknown;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const asNumber = (value: unknown): number | null => (typeof value === "number" ? value : null);
const asText = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** Returns a schema without the alternative `null`, because an empty field stands for null. */
function withoutNull(schema: Json): Json {
  const alternatives = [schema.anyOf, schema.oneOf].find(Array.isArray)?.filter((each) => each?.type !== "null");
  if (alternatives?.length === 1 && isObject(alternatives[0]))
    return { ...schema, ...alternatives[0], anyOf: undefined };
  if (!Array.isArray(schema.type)) return schema;
  const types = schema.type.filter((type) => type !== "null");
  return { ...schema, type: types.length === 1 ? types[0] : undefined };
}

/** Returns true if a schema allows `null`. */
const isNullable = ({ type, anyOf, oneOf, enum: values }: Json): boolean =>
  [type, values].some((list) => Array.isArray(list) && (list.includes("null") || list.includes(null))) ||
  [anyOf, oneOf].some((list) => Array.isArray(list) && list.some((each) => each?.type === "null"));

const isOption = (value: unknown): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value);

/** Returns the kind of input for a property: by the type in its schema, or else by the type of its value. */
function typeOf({ type, format }: Json, value: unknown): SchemaField["type"] {
  switch (type ?? (value === null ? undefined : typeof value)) {
    case "string":
      // A date field shows no other text.
      return format === "date" && /^(\d{4}-\d\d-\d\d)?$/.test(String(value ?? "")) ? "date" : "text";
    case "integer":
      return "integer";
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    default:
      return "json";
  }
}

/**
 * Returns true if a kind of input can show a value. Otherwise the field must be `json`, so that a value of an unexpected type
 * is not lost.
 */
function canShow(type: SchemaField["type"], value: unknown): boolean {
  if (value === undefined || value === null || type === "json") return true;
  if (type === "choice") return isOption(value);
  return typeof value === (type === "boolean" ? "boolean" : type === "text" || type === "date" ? "string" : "number");
}

const optionsOf = ({ const: only, enum: values }: Json) =>
  only === undefined ? (Array.isArray(values) ? values.filter(isOption) : []) : [only].filter(isOption);

const limitsOf = (schema: Json, isText: boolean) => ({
  minimum: asNumber(isText ? schema.minLength : schema.minimum),
  maximum: asNumber(isText ? schema.maxLength : schema.maximum),
});

function toField(name: string, property: Json, isRequired: boolean, value: unknown): SchemaField {
  const schema = withoutNull(property);
  const allowed = optionsOf(schema);
  // A value that the schema does not allow stays until another one is chosen.
  const options = allowed.length > 0 && isOption(value) && !allowed.includes(value) ? [...allowed, value] : allowed;
  const type = options.length > 0 ? "choice" : typeOf(schema, value);
  return {
    name,
    title: asText(schema.title),
    description: asText(schema.description),
    type: canShow(type, value) ? type : "json",
    isRequired,
    emptyValue: value === "" || value === null ? value : isRequired && isNullable(property) ? null : undefined,
    options,
    ...limitsOf(schema, type === "text"),
  };
}

/** Returns the alternatives of a schema that is not null, or the schema itself. */
const alternativesOf = (schema: Json): readonly Json[] => {
  const { anyOf } = withoutNull(schema);
  return Array.isArray(anyOf) ? anyOf : [withoutNull(schema)];
};

/**
 * Returns what a request body may contain at a dotted path. Unlike a property of `toFields`, an empty field is sent as an empty
 * text or null where the schema allows it, because a request that changes an object keeps what it leaves out.
 */
export function toBodyRule(body: Json, path: string): FieldRule {
  let property: Json = body;
  let isRequired = true;
  for (const key of path.split(".")) {
    const parents = alternativesOf(property);
    const parent = parents.find(({ properties }) => isObject(properties) && key in properties) ?? parents[0];
    const { properties, required, additionalProperties } = parent ?? {};
    // Properties of an object that may be null are not required.
    isRequired &&= Array.isArray(required) && required.includes(key) && !isNullable(property);
    property = [isObject(properties) ? properties[key] : undefined, additionalProperties].find(isObject) ?? {};
  }
  const schema = withoutNull(property);
  const options = optionsOf(schema);
  const known = typeOf(schema, undefined);
  const type = options.length > 0 ? "choice" : known !== "json" ? known : schema.type === "array" ? "list" : "value";
  const { minimum, maximum } = limitsOf(schema, type === "text");
  const emptyText = type === "text" && !minimum ? "" : undefined;
  return {
    type,
    isRequired,
    emptyValue: isNullable(property) ? null : emptyText,
    options,
    minimum: type === "list" ? asNumber(schema.minItems) : minimum,
    maximum,
    preset: property.default,
  };
}

/**
 * Returns the form fields of an object: one for each property in its schema and each further value. Required ones come first,
 * and each group is sorted by name, because DynamoDB does not preserve the order of properties.
 * @param schema JSON Schema of the object; `{}` if it is not known
 */
export function toFields(schema: Json, value: Json): SchemaField[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const names = new Set([...Object.keys(properties), ...Object.keys(value)]);
  return [...names]
    .map((name) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return toField(name, isObject(property) ? property : {}, required.includes(name), value[name]);
    })
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired) || (a.name < b.name ? -1 : 1));
}

/** Returns the input that shows a value. */
export function toDraft({ type, options }: FieldRule, value: unknown): Draft {
  if (type === "value") return value;
  if (value === undefined || (value === null && type !== "json")) {
    return type === "boolean" ? undefined : type === "list" ? [] : "";
  }
  if (type === "choice") return options.every((option) => typeof option === "string") ? value : JSON.stringify(value);
  if (type === "json") return JSON.stringify(value, null, 2);
  return typeof value === "object" || typeof value === "boolean" ? value : String(value);
}

/** Value of a field, or why it has none, in the words of the service. Neither if the property is left out. */
type Reading = { readonly value?: unknown } | { readonly problem: string };

/** Parses the input of a field that is not empty. */
function readText({ type, minimum, maximum, options }: FieldRule, text: string): Reading {
  if (type === "number" || type === "integer") {
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value)) return { problem: "must be a number" };
    if (type === "integer" && !Number.isInteger(value)) return { problem: "must be a whole number" };
    if (minimum !== null && value < minimum) return { problem: `must be at least ${minimum}` };
    if (maximum !== null && value > maximum) return { problem: `must be at most ${maximum}` };
    return { value };
  }
  if (type === "json" || (type === "choice" && options.some((option) => typeof option !== "string"))) {
    try {
      return { value: JSON.parse(text) };
    } catch {
      return { problem: "must be valid JSON" };
    }
  }
  if (type !== "choice" && minimum !== null && text.length < minimum) {
    return { problem: `must have at least ${minimum} characters` };
  }
  if (type !== "choice" && maximum !== null && text.length > maximum) {
    return { problem: `must have at most ${maximum} characters` };
  }
  return { value: text };
}

/** Returns the value that an input describes. An empty input is left out, unless the field has a value for it. */
function readDraft(field: FieldRule, draft: Draft): Reading {
  const { type, isRequired, emptyValue, minimum } = field;
  if (type === "list") {
    const value = Array.isArray(draft)
      ? draft
      : String(draft ?? "")
          .split(/[\n,]+/)
          .map((entry) => entry.trim())
          .filter(Boolean);
    if (value.length > 0 || !minimum) return { value };
    return isRequired ? { problem: "must not be empty" } : {};
  }
  if (typeof draft === "boolean" || (typeof draft === "object" && draft !== null)) return { value: draft };
  const text = String(draft ?? "");
  if (text !== "" && (text.trim() !== "" || !minimum)) return readText(field, text);
  if (emptyValue !== undefined) return { value: emptyValue };
  if (!isRequired) return {};
  return type === "boolean" ? { value: false } : { problem: "must not be empty" };
}

/** Field whose input becomes a value of a request. */
export interface BoundField {
  /** Dotted path of the value in the request, under which its errors are reported. */
  readonly name: string;
  /** Names of the nested properties, if one of them contains a dot. */
  readonly keys?: readonly string[];
  readonly rule: FieldRule;
  /** Converts the input to what the rule reads. */
  readonly parse?: ((draft: Draft) => Draft) | undefined;
}

/** Returns the error with which the service refuses values of a request, so that a form reports each at its field. */
export const refuseValues = (errors: readonly { readonly path: string; readonly message: string }[]): ProblemError =>
  new ProblemError(new Response(null, { status: 400 }), {
    code: "validation_failed",
    errors: errors.map((error) => ({ ...error, location: "body", code: "invalid_value" })),
  });

/**
 * Returns the object that the inputs describe.
 * @throws ProblemError `validation_failed` with the path of each invalid field
 */
export function readDrafts(fields: readonly BoundField[], draftOf: (name: string) => Draft): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const errors: { path: string; message: string }[] = [];
  for (const { name, keys = name.split("."), rule, parse } of fields) {
    const draft = draftOf(name);
    const read = readDraft(rule, parse ? parse(draft) : draft);
    if ("problem" in read) errors.push({ path: name, message: read.problem });
    else if (read.value !== undefined) {
      let parent = values;
      for (const key of keys.slice(0, -1)) {
        parent[key] ??= {};
        parent = parent[key] as Record<string, unknown>;
      }
      parent[keys.at(-1) ?? name] = read.value;
    }
  }
  if (errors.length === 0) return values;
  throw refuseValues(errors);
}
