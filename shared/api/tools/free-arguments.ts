import type { ToolServer } from "./tool-server.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose schemas apply to the same value. */
const compositions = ["allOf", "anyOf", "oneOf"] as const;

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const toEntries = (value: unknown) => (isSchema(value) ? Object.entries(value) : []);

/** Returns the properties of a JSON Schema of an object, by name, also those of the schemas of which it is composed. */
export function propertiesOf(schema: Schema): Schema {
  const parts = compositions.flatMap((keyword) => schema[keyword] ?? []).filter(isSchema);
  return Object.fromEntries([...parts.map(propertiesOf), schema.properties].flatMap(toEntries));
}

function withoutProperties(schema: Schema, isFree: (name: string) => boolean, nested: string | null): Schema {
  const free = (value: unknown, inner: string | null) =>
    isSchema(value) ? withoutProperties(value, isFree, inner) : value;
  const properties = toEntries(schema.properties)
    .filter(([name]) => isFree(name))
    .map(([name, value]) => [name, name === nested ? free(value, null) : value]);
  const parts = compositions.flatMap((keyword) => {
    const schemas = schema[keyword];
    return Array.isArray(schemas) ? [[keyword, schemas.map((each) => free(each, nested))]] : [];
  });
  return {
    ...schema,
    ...(schema.properties !== undefined && { properties: Object.fromEntries(properties) }),
    ...(Array.isArray(schema.required) && { required: schema.required.filter(isFree) }),
    ...Object.fromEntries(parts),
  };
}

/**
 * Returns the JSON Schema of a tool as the model and people get it: without the arguments that the service sets, also in the JSON
 * body of an action.
 */
export function freeArguments(schema: Schema, { bind, kind }: Pick<ToolServer, "bind" | "kind">): Schema {
  if (Object.keys(bind).length === 0) return schema;
  return withoutProperties(schema, (name) => !Object.hasOwn(bind, name), kind === "http" ? "body" : null);
}
