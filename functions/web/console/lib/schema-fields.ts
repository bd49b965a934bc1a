import { ProblemError } from "../../../../shared/client/problem.ts";

type Json = Readonly<Record<string, unknown>>;

/** Field of a form for one property of the object that a JSON Schema describes. */
export interface SchemaField {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  /** `json` for what has no field of its own, such as lists and objects. */
  readonly type: "text" | "date" | "number" | "integer" | "boolean" | "choice" | "json";
  readonly isRequired: boolean;
  /** Value of the field when it is empty; undefined if it is left out then. */
  readonly emptyValue: "" | null | undefined;
  /** Values to choose from, with the type `choice`. */
  readonly options: readonly (string | number | boolean)[];
  /** Lowest and highest number, or shortest and longest text. */
  readonly minimum: number | null;
  readonly maximum: number | null;
}

/** Input of a user in a field; undefined for a value that is left out. The text of a choice is its JSON. */
export type Draft = string | boolean | undefined;

/** Inputs of a user in the fields of a form, by their names. */
export type Drafts = Readonly<Record<string, Draft>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const asNumber = (value: unknown): number | null => (typeof value === "number" ? value : null);
const asText = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** Returns a schema without the alternative `null`, which an empty field stands for. */
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

/** Returns the type of the field for a property; that of its value if the schema names none. */
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

/** Returns true if a field can show a value: one of another type than its schema's must not be lost. */
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
 * Returns the fields of a form for an object: those of its schema and of values that the schema does not name. Required ones are
 * first, and each group is in the order of the names, because DynamoDB does not keep the order of properties.
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

/** Returns what the fields show for the values of an object. */
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

/** Reads the value of a field. Returns the service's message for one that is not valid. */
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
 * Returns the object that the fields describe. Empty fields are left out, unless they were empty texts or null before, or are
 * required and may be null.
 * @param path path of the object in the request, under which forms report errors
 * @throws ProblemError `validation_failed` with the path of each field that is not valid
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
