/** Limits of a schema after its references were replaced. A chain of references can stand for an exponential size. */
const MAX_DEPTH = 24;
const MAX_NODES = 2_000;
const MAX_CHARACTERS = 20_000;

/** Keywords that describe values. Others, such as `$id`, `default` objects of any size or vendor keywords, are left out. */
const keywords: ReadonlySet<string> = new Set([
  ...["type", "title", "description", "enum", "const", "default", "format", "properties", "required", "items"],
  ...["prefixItems", "additionalProperties", "anyOf", "oneOf", "allOf", "not", "minimum", "maximum", "multipleOf"],
  ...["exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"],
  ...["minProperties", "maxProperties", "x-mcp-header"],
]);

/** Keywords whose value maps names to schemas, is a list of schemas, or is a schema. */
const mapKeywords: ReadonlySet<string> = new Set(["properties"]);
const listKeywords: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const schemaKeywords: ReadonlySet<string> = new Set(["items", "additionalProperties", "not"]);

type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A schema cannot be used; `message` tells the reason. */
export class SchemaError extends Error {}

/** Returns what a local reference such as `#/$defs/city` points to. */
export function resolvePointer(root: Schema, reference: string): unknown {
  if (!reference.startsWith("#")) throw new SchemaError("its schema refers to another document");
  const parts = reference.split("/").slice(1);
  return parts.reduce<unknown>((node, part) => {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    const entry =
      isObject(node) || Array.isArray(node) ? Object.getOwnPropertyDescriptor(node, name)?.value : undefined;
    if (entry === undefined)
      throw new SchemaError(`its schema refers to ${reference.slice(0, 80)}, which does not exist`);
    return entry;
  }, root);
}

/**
 * Returns a JSON Schema with its local references replaced, because not every provider resolves them. A schema that contains
 * itself allows any value at that place.
 * @param root document that references refer to
 * @throws SchemaError if it is too large, or refers to another document
 */
export function expandSchema(schema: unknown, root: unknown = schema): Record<string, unknown> {
  if (!isObject(schema) || (schema.type !== "object" && schema.type !== undefined)) {
    throw new SchemaError("its input schema does not describe an object");
  }
  let nodes = 0;
  function expand(node: unknown, path: readonly string[], depth: number): unknown {
    nodes++;
    if (nodes > MAX_NODES || depth > MAX_DEPTH) throw new SchemaError("its schema is too large or too deep");
    if (typeof node === "boolean") return node;
    if (!isObject(node)) throw new SchemaError("its schema is malformed");
    const { $ref } = node;
    if (typeof $ref === "string") {
      if (path.includes($ref)) return {};
      const target = expand(resolvePointer(root as Schema, $ref), [...path, $ref], depth + 1);
      return isObject(target) && typeof node.description === "string"
        ? { ...target, description: node.description }
        : target;
    }
    const child = (value: unknown) => expand(value, path, depth + 1);
    const expanded: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(node)) {
      if (!keywords.has(keyword)) continue;
      if (mapKeywords.has(keyword)) {
        if (!isObject(value)) throw new SchemaError("its schema is malformed");
        expanded[keyword] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, child(each)]));
      } else if (listKeywords.has(keyword)) {
        if (!Array.isArray(value)) throw new SchemaError("its schema is malformed");
        expanded[keyword] = value.map(child);
      } else {
        expanded[keyword] = schemaKeywords.has(keyword) ? child(value) : value;
      }
    }
    return expanded;
  }
  const expanded = { type: "object", properties: {}, ...(expand(schema, ["#"], 0) as Schema) };
  if (JSON.stringify(expanded).length > MAX_CHARACTERS) throw new SchemaError("its schema is too large or too deep");
  return expanded;
}
