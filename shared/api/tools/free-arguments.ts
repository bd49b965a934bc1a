import type { ToolServer } from "./tool-server.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Returns the properties of a JSON Schema of an object, by name. */
export const propertiesOf = ({ properties }: Schema): Schema =>
  typeof properties === "object" && properties !== null ? (properties as Schema) : {};

/** Returns the JSON Schema of a tool as the model and people get it: without the arguments that the service sets. */
export function freeArguments(schema: Schema, { bind }: Pick<ToolServer, "bind">): Schema {
  const isFree = (name: string) => !Object.hasOwn(bind, name);
  const properties = Object.entries(propertiesOf(schema)).filter(([name]) => isFree(name));
  if (properties.length === Object.keys(propertiesOf(schema)).length) return schema;
  const required = Array.isArray(schema.required) ? { required: schema.required.filter(isFree) } : {};
  return { ...schema, properties: Object.fromEntries(properties), ...required };
}
