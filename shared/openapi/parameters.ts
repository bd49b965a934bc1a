import { type GenericSchema, getMetadata } from "valibot";
import type { Route } from "../api/define-route.ts";
import { type Json, jsonSchemaConverter } from "./json-schema.ts";
import type { OpenapiParameter } from "./types.ts";

/** Returns the JSON Schema that a parameter declares for its value after conversion, such as a number. */
function getDeclaredSchema(entry: GenericSchema | undefined): Json {
  if (!entry) return {};
  const inner = "wrapped" in entry ? (entry.wrapped as GenericSchema) : entry;
  return (getMetadata(inner) as { jsonSchema?: Json }).jsonSchema ?? {};
}

/** Converts the text of a default value to the parameter's type. */
function toTyped(value: unknown, type: unknown): unknown {
  if (type === "integer" || type === "number") return Number(value);
  return type === "boolean" ? value === "true" : value;
}

/** Returns the parameters that a schema describes, in a path or a query string. */
export function toParameters(schema: GenericSchema | undefined, location: "path" | "query"): OpenapiParameter[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchemaConverter("input", {})(schema) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const { entries = {} } = schema as { entries?: Record<string, GenericSchema> };
  return Object.entries(properties).map(([name, { description, ...textSchema }]) => {
    const declared = getDeclaredSchema(entries[name]);
    const jsonSchema = "type" in declared ? declared : textSchema;
    const fallback = textSchema.default;
    return {
      name,
      in: location,
      required: location === "path" || required.includes(name),
      ...(typeof description === "string" && { description }),
      schema: fallback === undefined ? jsonSchema : { ...jsonSchema, default: toTyped(fallback, jsonSchema.type) },
    };
  });
}

/** Returns the headers that a route reads, apart from credentials. */
export function headerParameters({ idempotency, streaming, method, errors }: Route): OpenapiParameter[] {
  const idempotencyKey: OpenapiParameter = {
    name: "Idempotency-Key",
    in: "header",
    required: idempotency === "required",
    description:
      "A unique key for this operation. Send the same key with every retry: retries return the original response. Keys expire after 24 hours.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  };
  const lastEventId: OpenapiParameter = {
    name: "Last-Event-ID",
    in: "header",
    required: false,
    description: "The id of the last event received. The stream resumes after it.",
    schema: { type: "string" },
  };
  const ifMatch: OpenapiParameter = {
    name: "If-Match",
    in: "header",
    required: true,
    description: "The `ETag` of the current version.",
    schema: { type: "string" },
  };
  return [
    ...(idempotency === "none" ? [] : [idempotencyKey]),
    ...(streaming && method === "GET" ? [lastEventId] : []),
    ...(errors.includes("precondition_required") ? [ifMatch] : []),
  ];
}
