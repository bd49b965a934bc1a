import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema";
import { type GenericSchema, object } from "valibot";
import { isJsonObject } from "../lib/parse-json.ts";

/** JSON Schema (draft 2020-12) or another part of an OpenAPI document. */
export type Json = Record<string, unknown>;

/** Returns true for a schema that accepts no value except null: generators write invalid code for it. */
function acceptsNothing({ not, anyOf }: Json): boolean {
  if (not !== undefined) return Object.keys(not as Json).length === 0;
  return Array.isArray(anyOf) && anyOf.every((each: Json) => each.type === "null" || acceptsNothing(each));
}

type Mode = "input" | "output";

/** Returns a map that may be null as one schema. openapi-generator writes invalid Go and Java for a union with a map. */
function withNullableMap(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  const [map, empty, ...others] = (Array.isArray(anyOf) ? anyOf : []) as Json[];
  const isMap = map?.type === "object" && !map.properties && empty?.type === "null" && others.length === 0;
  return isMap ? { ...map, type: ["object", "null"], ...rest } : schema;
}

/**
 * Adds the type to every `const`, because client generators expect it there, and omits properties whose schema accepts no
 * value except null (`acceptsNothing`). In requests, omits defaults that are objects, for which openapi-python-client leaves
 * out the operation and openapi-generator writes invalid Go and Java.
 */
function adaptToGenerators(value: unknown, mode: Mode): unknown {
  if (Array.isArray(value)) return value.map((each) => adaptToGenerators(each, mode));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, adaptToGenerators(each, mode)]);
  const schema = withNullableMap(Object.fromEntries(entries));
  if (schema.type === "object" && schema.properties) {
    const properties = Object.entries(schema.properties).filter(([, property]) => !acceptsNothing(property));
    schema.properties = Object.fromEntries(properties);
  }
  // A schema, and no list of properties of which one has this name.
  const isSchema = !isJsonObject(schema.type) && [schema.type, schema.anyOf, schema.oneOf].some(Boolean);
  if (mode === "input" && isSchema && isJsonObject(schema.default)) delete schema.default;
  const constant = schema.const;
  const isTyped = "type" in schema || constant === null || !["string", "number", "boolean"].includes(typeof constant);
  return isTyped ? schema : { type: Number.isInteger(constant) ? "integer" : typeof constant, ...schema };
}

/** Variant schema of valibot whose options are objects with a literal under the key. */
export interface Variant extends GenericSchema {
  readonly key: string;
  readonly options: readonly (GenericSchema & {
    readonly entries: Readonly<Record<string, { readonly literal?: string }>>;
  })[];
}

/** Adds a discriminator to a union of references. One of inline schemas cannot have one (OpenAPI 3.1, section 4.8.25). */
function withDiscriminator<Schema extends { readonly oneOf?: unknown }>(
  { key, options }: Variant,
  schema: Schema,
): Schema {
  const references = ((schema.oneOf ?? []) as Json[]).map(({ $ref }) => $ref);
  if (references.some((reference) => reference === undefined)) return schema;
  const mapping = Object.fromEntries(options.map(({ entries }, index) => [entries[key]?.literal, references[index]]));
  return { ...schema, discriminator: { propertyName: key, mapping } };
}

/** Schemas by the names that others refer to them by. */
export type NamedSchemas = Readonly<Record<string, GenericSchema>>;

const conversion = (mode: Mode): ConversionConfig => ({
  target: "draft-2020-12",
  typeMode: mode,
  errorMode: "ignore",
  overrideSchema: ({ valibotSchema, jsonSchema }) => {
    if (valibotSchema.type === "loose_object") return { ...jsonSchema, additionalProperties: true };
    return valibotSchema.type === "variant" ? withDiscriminator(valibotSchema as never, jsonSchema) : undefined;
  },
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
});

/** Converts named schemas to JSON Schema, with references to each other. */
export function convertNamed(named: NamedSchemas): Record<string, Json> {
  return adaptToGenerators(toJsonSchemaDefs(named, conversion("output")), "output") as Record<string, Json>;
}

/**
 * Converts schemas to JSON Schema, with references to the named ones. Converts them together, because the library converts
 * all named schemas in each call.
 */
export function convertSchemas(
  mode: Mode,
  schemas: readonly GenericSchema[],
  named: NamedSchemas,
): Map<GenericSchema, Json> {
  const distinct = [...new Set(schemas)];
  const parent = object(Object.fromEntries(distinct.entries()));
  const { properties } = toJsonSchema(parent, { ...conversion(mode), definitions: named });
  return new Map(distinct.map((schema, index) => [schema, adaptToGenerators(properties?.[index], mode) as Json]));
}

/** Converts a schema to JSON Schema, with references to the named ones. */
export const convertSchema = (mode: Mode, schema: GenericSchema, named: NamedSchemas = {}) =>
  convertSchemas(mode, [schema], named).get(schema) as Json;

/** Returns a reference to a named schema. */
export const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
