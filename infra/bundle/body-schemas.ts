import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "rolldown";

type Json = Readonly<Record<string, unknown>>;

/** Keywords of JSON Schema that forms read. Texts, patterns and the entries of lists are left out, because they are large. */
const keywords = [
  "type",
  "const",
  "enum",
  "required",
  "default",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
];

/** Returns what forms read of a schema. A pattern that an empty text does not match becomes a minimum length. */
export function compactSchema(schema: Json): Json {
  const { properties, additionalProperties: others, anyOf, oneOf, pattern, minLength } = schema;
  const isFilled = typeof pattern === "string" && !minLength && !new RegExp(pattern, "u").test("");
  return {
    ...Object.fromEntries(keywords.flatMap((name) => (name in schema ? [[name, schema[name]]] : []))),
    ...(isFilled && { minLength: 1 }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Json).map(([name, property]) => [name, compactSchema(property as Json)]),
      ),
    }),
    ...(typeof others === "object" && { additionalProperties: compactSchema(others as Json) }),
    ...((anyOf ?? oneOf) !== undefined && { anyOf: ((anyOf ?? oneOf) as Json[]).map(compactSchema) }),
  };
}

/** Returns the schema of the request body of an operation, as forms read it. */
export function findBodySchema(document: Json, path: string, method: string): Json {
  const operation = (document.paths as Record<string, Record<string, Json>>)[path]?.[method];
  const body = operation?.requestBody as { content?: Record<string, { schema?: Json }> } | undefined;
  const schema = body?.content?.["application/json"]?.schema;
  if (!schema) throw new Error(`${method} ${path} has no JSON body in openapi.json`);
  return compactSchema(schema);
}

/**
 * Plugin that replaces the calls of `bodySchema` in the console by the schemas in `openapi.json`. So each view contains the
 * limits of its own forms, and nothing is written twice or requested at run time.
 */
export function bodySchemasPlugin(root: string): Plugin {
  const document = JSON.parse(readFileSync(join(root, "openapi.json"), "utf8")) as Json;
  return {
    name: "body-schemas",
    transform: {
      filter: { code: "bodySchema(" },
      handler: (code) =>
        code.replaceAll(/\bbodySchema\(\s*"([^"]+)",\s*"(\w+)",?\s*\)/g, (_, path: string, method: string) =>
          JSON.stringify(findBodySchema(document, path, method)),
        ),
    },
  };
}
