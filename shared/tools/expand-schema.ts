import { propertiesOf } from "../api/tools/free-arguments.ts";
import { isJsonObject } from "../lib/parse-json.ts";

/**
 * Limits of a schema after its references were replaced. Nested references can make a short schema exponentially large.
 */
const MAX_DEPTH = 24;
const MAX_NODES = 2_000;
const MAX_CHARACTERS = 20_000;

/** JSON Schema keywords to keep. Others, such as `$id` or vendor keywords, are removed. */
const keywords: ReadonlySet<string> = new Set([
  ...["type", "title", "description", "enum", "const", "default", "format", "properties", "required", "items"],
  ...["prefixItems", "additionalProperties", "anyOf", "oneOf", "allOf", "not", "minimum", "maximum", "multipleOf"],
  ...["exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"],
  ...["minProperties", "maxProperties", "x-mcp-header"],
]);

/** Kinds of keywords that contain schemas: a map from names to schemas, a list of schemas, or one schema. */
const mapKeywords: ReadonlySet<string> = new Set(["properties"]);
const listKeywords: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const schemaKeywords: ReadonlySet<string> = new Set(["items", "additionalProperties", "not"]);

type Schema = Readonly<Record<string, unknown>>;

/** Error for a schema that cannot be used; `message` gives the reason. */
export class SchemaError extends Error {}

/**
 * Returns the value to which a local reference such as `#/$defs/city` points.
 * @throws SchemaError if it does not exist or is in another document
 */
export function resolvePointer(root: Schema, reference: string): unknown {
  if (!reference.startsWith("#")) throw new SchemaError("its schema refers to another document");
  const parts = reference.split("/").slice(1);
  return parts.reduce<unknown>((node, part) => {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    const entry =
      isJsonObject(node) || Array.isArray(node) ? Object.getOwnPropertyDescriptor(node, name)?.value : undefined;
    if (entry === undefined)
      throw new SchemaError(`its schema refers to ${reference.slice(0, 80)}, which does not exist`);
    return entry;
  }, root);
}

/**
 * Replaces the local references of a JSON Schema by their targets, because not every provider resolves them. A
 * recursive reference becomes a schema that allows any value.
 * @param root document to which references refer
 * @throws SchemaError if the schema is malformed, too large or too deep, or refers to another document
 */
export function expandSchema(schema: unknown, root: unknown = schema): Record<string, unknown> {
  if (!isJsonObject(schema) || (schema.type !== "object" && schema.type !== undefined)) {
    throw new SchemaError("its input schema does not describe an object");
  }
  let nodes = 0;
  function expand(node: unknown, path: readonly string[], depth: number): unknown {
    nodes++;
    if (nodes > MAX_NODES || depth > MAX_DEPTH) throw new SchemaError("its schema is too large or too deep");
    if (typeof node === "boolean") return node;
    if (!isJsonObject(node)) throw new SchemaError("its schema is malformed");
    const { $ref } = node;
    if (typeof $ref === "string") {
      if (path.includes($ref)) return {};
      const target = expand(resolvePointer(root as Schema, $ref), [...path, $ref], depth + 1);
      return isJsonObject(target) && typeof node.description === "string"
        ? { ...target, description: node.description }
        : target;
    }
    const child = (value: unknown) => expand(value, path, depth + 1);
    const expanded: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(node)) {
      if (!keywords.has(keyword)) continue;
      if (mapKeywords.has(keyword)) {
        if (!isJsonObject(value)) throw new SchemaError("its schema is malformed");
        expanded[keyword] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, child(each)]));
      } else if (listKeywords.has(keyword)) {
        if (!Array.isArray(value)) throw new SchemaError("its schema is malformed");
        expanded[keyword] = value.map(child);
      } else {
        expanded[keyword] = schemaKeywords.has(keyword) ? child(value) : value;
      }
    }
    // Providers refuse a whole request for one array without it.
    return expanded.type === "array" && !expanded.items && !expanded.prefixItems
      ? { ...expanded, items: {} }
      : expanded;
  }
  const expanded = { type: "object", properties: {}, ...(expand(schema, ["#"], 0) as Schema) };
  if (JSON.stringify(expanded).length > MAX_CHARACTERS) throw new SchemaError("its schema is too large or too deep");
  return expanded;
}

/**
 * Returns a schema as it is declared to a model. Providers refuse a request in which the schema of a tool has alternatives on its first
 * level, so that the properties of all alternatives become optional ones of the tool. The server validates the arguments.
 */
export function toDeclaredSchema(schema: Schema): Schema {
  const { anyOf, oneOf, allOf, not, enum: _, const: __, ...declared } = schema;
  return { ...declared, properties: propertiesOf(schema) };
}
