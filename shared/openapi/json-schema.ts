import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";

/** JSON Schema (draft 2020-12) or another part of an OpenAPI document. */
export type Json = Record<string, unknown>;

/** Adds the type to every `const`, because client generators expect it there. */
function withConstTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withConstTypes);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, withConstTypes(each)]);
  const schema = Object.fromEntries(entries) as Json;
  const constant = schema.const;
  const isTyped = "type" in schema || constant === null || !["string", "number", "boolean"].includes(typeof constant);
  return isTyped ? schema : { type: typeof constant, ...schema };
}

/** Converts schemas to JSON Schema, with references to the named ones. */
export function jsonSchemaConverter(mode: "input" | "output", named: Readonly<Record<string, GenericSchema>>) {
  return (schema: GenericSchema): Json => {
    const {
      $schema: _,
      $defs: __,
      ...jsonSchema
    } = toJsonSchema(schema, {
      target: "draft-2020-12",
      typeMode: mode,
      errorMode: "ignore",
      definitions: named,
      overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
    }) as Json;
    return withConstTypes(jsonSchema) as Json;
  };
}

/** Returns a reference to a named schema. */
export const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
