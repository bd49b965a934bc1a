import * as v from "valibot";
import { isWritable, toAttributeValue } from "./attributes.ts";
import { type Filter, matchesFilter, parseAttributePath, parseFilter, type ScimObject } from "./filter.ts";
import { attributesOf, findAttribute, type ScimAttribute, type ScimSchema } from "./schemas.ts";
import { scimError } from "./scim-error.ts";

const MAX_OPERATIONS = 1_000;

const Operation = v.object({
  op: v.pipe(v.string(), v.toLowerCase(), v.picklist(["add", "replace", "remove"])),
  path: v.optional(v.nullable(v.string())),
  value: v.optional(v.unknown()),
});
type Operation = v.InferOutput<typeof Operation>;
type Attributes = Record<string, unknown>;

/**
 * Part of a resource that a PATCH operation changes: an attribute, the elements of it that match a filter, or a sub-attribute
 * of either.
 */
interface Target {
  readonly attribute: ScimAttribute;
  readonly filter: Filter | undefined;
  readonly subAttribute: ScimAttribute | undefined;
}

/**
 * Validates and returns the operations of a PATCH request.
 * @throws ServiceError with the type `invalidSyntax`
 */
export function parseOperations(body: ScimObject): Operation[] {
  const [, operations] = Object.entries(body).find(([name]) => name.toLowerCase() === "operations") ?? [];
  const Operations = v.pipe(v.array(Operation), v.minLength(1), v.maxLength(MAX_OPERATIONS));
  const result = v.safeParse(Operations, operations);
  if (result.success) return result.output;
  const message = `Operations must be 1 to ${MAX_OPERATIONS} objects with op (add, replace or remove), path and value.`;
  throw scimError("invalidSyntax", message);
}

const pathWithFilter = /^([^[\]]+)\[(.+)\](?:\.([^.[\]]+))?$/s;

/**
 * Parses the path of an operation.
 * @returns null if the schema does not have the attribute; the operation is then ignored
 */
function parseTarget(attributes: readonly ScimAttribute[], path: string): Target | null {
  const [, name = path, filter, subName] = pathWithFilter.exec(path.trim()) ?? [];
  const names = parseAttributePath(name.trim());
  if (!names) throw scimError("invalidPath", `${path} is no path of an attribute.`);
  const attribute = findAttribute(attributes, names[0] ?? "");
  if (!attribute) return null;
  const lastName = subName ?? names[1];
  const subAttribute = lastName === undefined ? undefined : findAttribute(attribute.subAttributes ?? [], lastName);
  if (lastName !== undefined && !subAttribute) return null;
  if (filter !== undefined && !attribute.multiValued) throw scimError("invalidPath", `${name} has no elements.`);
  if (!isWritable(attribute) || (subAttribute && !isWritable(subAttribute))) {
    throw scimError("mutability", `${path} cannot be changed.`);
  }
  return { attribute, filter: filter === undefined ? undefined : parseFilter(filter), subAttribute };
}

/**
 * Creates an element that matches a filter of equality comparisons, because Entra sets `emails[type eq "work"].value` before
 * the element exists.
 * @throws ServiceError with the type `noTarget` for any other filter
 */
function toNewElement(filter: Filter, attributes: readonly ScimAttribute[]): Attributes {
  if (filter.kind === "and")
    return { ...toNewElement(filter.left, attributes), ...toNewElement(filter.right, attributes) };
  const attribute = filter.kind === "compare" ? findAttribute(attributes, filter.path[0] ?? "") : undefined;
  if (filter.kind !== "compare" || filter.operator !== "eq" || !attribute) {
    throw scimError("noTarget", "No value matches the filter of the path.");
  }
  return { [attribute.name]: toAttributeValue(attribute, filter.value) };
}

/**
 * Adds elements to a multi-valued attribute. An element that exists gets the added properties. If an added element is
 * primary, no existing one stays primary.
 */
function addValues(current: readonly Attributes[], added: readonly Attributes[]): Attributes[] {
  const hasPrimary = added.some(({ primary }) => primary === true);
  const merged = current.map(({ primary, ...others }) => ({
    ...others,
    ...(primary === true && !hasPrimary && { primary }),
    ...added.find((value) => isSameMember(value, others)),
  }));
  return [...merged, ...added.filter((value) => !current.some((each) => isSameMember(each, value)))];
}

/**
 * Returns true if two elements have the same value and type. An element without a type counts as a user, because members of a
 * group lack it.
 */
const isSameMember = (a: Attributes, b: Attributes) =>
  a.value !== undefined && a.value === b.value && (a.type ?? "User") === (b.type ?? "User");

function changeElements(resource: Attributes, target: Target & { filter: Filter }, { op, value }: Operation): void {
  const { attribute, filter, subAttribute } = target;
  const { name, subAttributes = [] } = attribute;
  const elements = (resource[name] ?? []) as Attributes[];
  const isMatch = (element: Attributes) => matchesFilter(element, subAttributes, filter);
  if (op === "remove" && !subAttribute) {
    resource[name] = elements.filter((element) => !isMatch(element));
    return;
  }
  const change = (element: Attributes): Attributes => {
    if (!subAttribute) return { ...element, ...([toAttributeValue(attribute, value)].flat()[0] as Attributes) };
    const converted = op === "remove" ? undefined : toAttributeValue(subAttribute, value);
    return { ...element, [subAttribute.name]: converted };
  };
  const existing =
    elements.some(isMatch) || op === "remove" ? elements : [...elements, toNewElement(filter, subAttributes)];
  resource[name] = existing.map((element) => (isMatch(element) ? change(element) : element));
}

function changeAttribute(resource: Attributes, { attribute, subAttribute }: Target, { op, value }: Operation): void {
  const { name, multiValued, type } = attribute;
  if (subAttribute) {
    const converted = op === "remove" ? undefined : toAttributeValue(subAttribute, value);
    const change = (each: unknown) => ({ ...(each as Attributes), [subAttribute.name]: converted });
    resource[name] = multiValued ? ((resource[name] ?? []) as Attributes[]).map(change) : change(resource[name]);
    return;
  }
  const converted = toAttributeValue(attribute, value);
  if (op === "remove") {
    // Entra names members to remove in the value. An empty list names none.
    const removed = multiValued && (converted || Array.isArray(value)) ? ((converted ?? []) as Attributes[]) : null;
    const isRemoved = (element: Attributes) => removed?.some((each) => isSameMember(each, element)) ?? true;
    resource[name] = multiValued
      ? ((resource[name] ?? []) as Attributes[]).filter((each) => !isRemoved(each))
      : undefined;
  } else if (op === "add" && multiValued) {
    resource[name] = addValues((resource[name] ?? []) as Attributes[], (converted ?? []) as Attributes[]);
  } else if (type === "complex" && !multiValued) {
    resource[name] = converted && { ...(resource[name] as Attributes | undefined), ...(converted as Attributes) };
  } else {
    resource[name] = converted;
  }
}

function applyAt(resource: Attributes, attributes: readonly ScimAttribute[], path: string, operation: Operation): void {
  const target = parseTarget(attributes, path);
  if (!target) return;
  if (target.filter) changeElements(resource, { ...target, filter: target.filter }, operation);
  else changeAttribute(resource, target, operation);
}

/**
 * Applies an operation without a path. Its value is an object with attributes, whose names can be paths such as
 * `name.givenName`.
 */
function applyValue(resource: Attributes, attributes: readonly ScimAttribute[], { op, value }: Operation): void {
  if (op === "remove") throw scimError("noTarget", "A removal needs a path.");
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw scimError("invalidValue", "An operation without a path needs an object as its value.");
  }
  for (const [name, each] of Object.entries(value)) {
    const attribute = findAttribute(attributes, name);
    // Okta repeats the id.
    if (attribute && !isWritable(attribute)) continue;
    applyAt(resource, attributes, name, { op, value: each });
  }
}

/**
 * Returns the writable attributes of a resource after a PATCH request (RFC 7644, section 3.5.2), as Okta and Entra send it.
 * Ignores attributes that the schema does not have.
 * @throws ServiceError with the SCIM error type of the first invalid operation
 */
export function applyPatch(schema: ScimSchema, current: ScimObject, operations: readonly Operation[]): Attributes {
  const attributes = attributesOf(schema);
  const resource: Attributes = structuredClone(current) as Attributes;
  for (const operation of operations) {
    if (operation.path) applyAt(resource, attributes, operation.path, operation);
    else applyValue(resource, attributes, operation);
  }
  return resource;
}
