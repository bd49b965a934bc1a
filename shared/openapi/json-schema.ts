import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";

/** JSON Schema (draft 2020-12) or another part of an OpenAPI document. */
export type Json = Record<string, unknown>;

/** Returns true for a schema that accepts no value except null: generators write invalid code for it. */
function acceptsNothing({ not, anyOf }: Json): boolean {
  if (not !== undefined) return Object.keys(not as Json).length === 0;
  return Array.isArray(anyOf) && anyOf.every((each: Json) => each.type === "null" || acceptsNothing(each));
}

/**
 * Adds the type to every `const`, because client generators expect it there, and omits properties that cannot be set.
 */
function adaptToGenerators(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(adaptToGenerators);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, adaptToGenerators(each)]);
  const schema = Object.fromEntries(entries) as Json;
  if (schema.type === "object" && schema.properties) {
    const properties = Object.entries(schema.properties).filter(([, property]) => !acceptsNothing(property));
    schema.properties = Object.fromEntries(properties);
  }
  const constant = schema.const;
  const isTyped = "type" in schema || constant === null || !["string", "number", "boolean"].includes(typeof constant);
  return isTyped ? schema : { type: Number.isInteger(constant) ? "integer" : typeof constant, ...schema };
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
      overrideSchema: ({ valibotSchema, jsonSchema }) =>
        valibotSchema.type === "loose_object" ? { ...jsonSchema, additionalProperties: true } : undefined,
      overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
    }) as Json;
    return adaptToGenerators(jsonSchema) as Json;
  };
}

/** Returns a reference to a named schema. */
export const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
