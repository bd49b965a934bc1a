import { ProblemError } from "../../../../shared/client/problem.ts";

type Json = Readonly<Record<string, unknown>>;

/** Form field for one property of an object with a JSON Schema. */
export interface SchemaField {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  /** Kind of input; `json` for values without a field of their own, such as lists and objects. */
  readonly type: "text" | "date" | "number" | "integer" | "boolean" | "choice" | "json";
  readonly isRequired: boolean;
  /** Value that an empty field stands for; undefined if the property is then left out. */
  readonly emptyValue: "" | null | undefined;
  /** Values to choose from, for the type `choice`; otherwise empty. */
  readonly options: readonly (string | number | boolean)[];
  /** Limits of a number, or of the length of a text; null for none. */
  readonly minimum: number | null;
  readonly maximum: number | null;
}

/** Input of a user in a field; undefined if the property is left out. The input of a choice is JSON. */
export type Draft = string | boolean | undefined;

/** Inputs of a user by field name. */
export type Drafts = Readonly<Record<string, Draft>>;

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

function toField(name: string, property: Json, isRequired: boolean, value: unknown): SchemaField {
  const schema = withoutNull(property);
  const values = schema.const === undefined ? schema.enum : [schema.const];
  const allowed = Array.isArray(values) ? values.filter(isOption) : [];
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
    minimum: asNumber(type === "text" ? schema.minLength : schema.minimum),
    maximum: asNumber(type === "text" ? schema.maxLength : schema.maximum),
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

/** Returns the inputs that show the current values of an object. */
export function toDrafts(fields: readonly SchemaField[], value: Json): Drafts {
  return Object.fromEntries(
    fields.map(({ name, type }) => {
      const own = value[name];
      if (own === undefined || (own === null && type !== "json")) return [name, type === "boolean" ? undefined : ""];
      if (type === "boolean") return [name, own === true];
      if (type === "choice") return [name, JSON.stringify(own)];
      return [name, type === "json" ? JSON.stringify(own, null, 2) : String(own)];
    }),
  );
}

/** Parses the input of a field. Returns a message like that of the service if it is not valid. */
function readDraft({ type, minimum, maximum }: SchemaField, text: string): { value: unknown } | { problem: string } {
  switch (type) {
    case "number":
    case "integer": {
      const value = Number(text);
      if (text.trim() === "" || !Number.isFinite(value)) return { problem: "must be a number" };
      if (type === "integer" && !Number.isInteger(value)) return { problem: "must be a whole number" };
      if (minimum !== null && value < minimum) return { problem: `must be at least ${minimum}` };
      if (maximum !== null && value > maximum) return { problem: `must be at most ${maximum}` };
      return { value };
    }
    case "choice":
    case "json":
      try {
        return { value: JSON.parse(text) };
      } catch {
        return { problem: "must be valid JSON" };
      }
    default:
      if (minimum !== null && text.length < minimum) return { problem: `must have at least ${minimum} characters` };
      if (maximum !== null && text.length > maximum) return { problem: `must have at most ${maximum} characters` };
      return { value: text };
  }
}

/**
 * Returns the object that the inputs describe. Leaves out empty fields, unless they were an empty text or null before, or the
 * property is required and can be null.
 * @param path path of the object in the request, which errors start with
 * @throws ProblemError `validation_failed` with the path of each invalid field
 */
export function readDrafts(fields: readonly SchemaField[], drafts: Drafts, path: string): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const errors: { path: string; location: "body"; code: "invalid_value"; message: string }[] = [];
  for (const field of fields) {
    const draft = drafts[field.name];
    const add = (message: string) =>
      void errors.push({ path: `${path}.${field.name}`, location: "body", code: "invalid_value", message });
    if (typeof draft === "boolean") values[field.name] = draft;
    else if (!draft) {
      if (field.emptyValue !== undefined) values[field.name] = field.emptyValue;
      else if (field.isRequired && field.type === "boolean") values[field.name] = false;
      else if (field.isRequired) add("must not be empty");
    } else {
      const read = readDraft(field, draft);
      if ("problem" in read) add(read.problem);
      else values[field.name] = read.value;
    }
  }
  if (errors.length === 0) return values;
  throw new ProblemError(new Response(null, { status: 400 }), { code: "validation_failed", errors });
}
