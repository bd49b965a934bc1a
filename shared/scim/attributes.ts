import { parseAttributePath, type ScimObject } from "./filter.ts";
import { attributesOf, findAttribute, type ScimAttribute, type ScimSchema } from "./schemas.ts";
import { scimError } from "./scim-error.ts";

/** Maximum length of a text in UTF-16 code units; longer texts are rejected. */
const MAX_TEXT_LENGTH = 1_000;

/** Maximum number of values of a multi-valued attribute; more are rejected. */
const MAX_VALUES = 1_000;

const invalidValue = (name: string, problem: string) => scimError("invalidValue", `${name} ${problem}.`);

/** Returns true for a value that removes its attribute, such as null or an empty list (RFC 7643, section 2.5). */
const isUnassigned = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

function toText(name: string, value: unknown): string {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") throw invalidValue(name, "must be a string");
  if (text.length > MAX_TEXT_LENGTH || !text.isWellFormed()) {
    throw invalidValue(name, `must be a text of at most ${MAX_TEXT_LENGTH} characters`);
  }
  return text;
}

/** Converts a boolean, or a string such as "False", which Entra sends instead. */
function toBoolean(name: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  const text = typeof value === "string" ? value.toLowerCase() : "";
  if (text !== "true" && text !== "false") throw invalidValue(name, "must be true or false");
  return text === "true";
}

function toSingle(attribute: ScimAttribute, value: unknown): unknown {
  const { name, type, subAttributes = [] } = attribute;
  if (type === "boolean") return toBoolean(name, value);
  if (type !== "complex") return toText(name, value);
  // Clients send elements such as members as plain values, too.
  const object = typeof value === "string" && attribute.multiValued ? { value } : value;
  if (typeof object !== "object" || object === null || Array.isArray(object)) {
    throw invalidValue(name, "must be an object");
  }
  return toKnown(subAttributes, object as ScimObject);
}

/**
 * Converts the value of an attribute to the types in its schema; undefined if the value removes the attribute.
 * @throws ServiceError with the type `invalidValue`
 */
export function toAttributeValue(attribute: ScimAttribute, value: unknown): unknown {
  if (isUnassigned(value)) return undefined;
  if (!attribute.multiValued) return toSingle(attribute, value);
  const values = [value].flat();
  if (values.length > MAX_VALUES) throw invalidValue(attribute.name, `must have at most ${MAX_VALUES} values`);
  const converted = values.map((each) => toSingle(attribute, each));
  // Elements that have lost all of their values.
  return converted.filter((each) => typeof each !== "object" || Object.keys(each as object).length > 0);
}

/**
 * Returns true if clients can write an attribute. Values that they send for other attributes are ignored (RFC 7644, section
 * 3.3).
 */
export const isWritable = ({ mutability }: ScimAttribute): boolean => mutability !== "readOnly";

function toKnown(attributes: readonly ScimAttribute[], object: ScimObject): Record<string, unknown> {
  const known: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    const attribute = findAttribute(attributes, name);
    if (!attribute || !isWritable(attribute)) continue;
    const converted = toAttributeValue(attribute, value);
    if (converted !== undefined) known[attribute.name] = converted;
  }
  return known;
}

/**
 * Returns the writable attributes of a resource in a request body, under the names and in the types of the schema. Ignores
 * all others.
 * @throws ServiceError with the type `invalidValue`
 */
export const toAttributes = (schema: ScimSchema, body: ScimObject): Record<string, unknown> =>
  toKnown(attributesOf(schema), body);

/** Query parameters that select the attributes of a response: comma-separated names to include or to exclude. */
export interface Projection {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

const toPaths = (list: string): string[][] =>
  list
    .split(",")
    .map((path) => parseAttributePath(path.trim().toLowerCase()))
    .filter((path) => path !== null);

/** Attributes that every response contains, regardless of the query parameters. */
const alwaysReturned = new Set(["id", "schemas"]);

/** Returns true if the response contains an attribute, which its caller must then read. */
export function isReturned(name: string, { attributes, excludedAttributes }: Projection): boolean {
  const isNamed = (list: string) => toPaths(list).some(([first]) => first === name.toLowerCase());
  if (attributes) return isNamed(attributes);
  return (
    !excludedAttributes ||
    !toPaths(excludedAttributes).some((path) => path.length === 1 && path[0] === name.toLowerCase())
  );
}

function selectFrom(value: unknown, isSelected: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => selectFrom(each, isSelected));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => isSelected(name.toLowerCase())));
}

/** Returns the attributes of a resource that the query parameters select (RFC 7644, section 3.9). */
export function projectAttributes(resource: ScimObject, projection: Projection): ScimObject {
  const { attributes, excludedAttributes } = projection;
  const paths = toPaths(attributes || excludedAttributes || "");
  const entries = Object.entries(resource).flatMap(([name, value]) => {
    if (alwaysReturned.has(name)) return [[name, value] as const];
    if (!isReturned(name, projection)) return [];
    const subNames = paths.filter(([first]) => first === name.toLowerCase()).map(([, second]) => second);
    if (subNames.length === 0 || subNames.includes(undefined)) return [[name, value] as const];
    return [[name, selectFrom(value, (each) => subNames.includes(each) === Boolean(attributes))] as const];
  });
  return Object.fromEntries(entries);
}
