import { isJsonObject } from "../../lib/parse-json.ts";

/**
 * Encodes a value for a header. Values other than plain ASCII text become Base64, as protocol revision 2026-07-28
 * defines it.
 */
export function encodeHeaderValue(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`;
}

/** Decodes a header value that may be encoded by `encodeHeaderValue`. */
export function decodeHeaderValue(value: string): string {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString();
}

const isToken = (text: unknown): text is string =>
  typeof text === "string" && /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}$/.test(text);

/**
 * Returns the names of the headers in which a schema wants arguments repeated (`x-mcp-header`), including nested
 * properties.
 * @throws Error for a header name or an argument type that protocol revision 2026-07-28 forbids, and for a name that is
 * used twice; clients must reject the tool then
 */
export function headerNames(schema: unknown): string[] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return [];
  const names = Object.values(schema.properties).flatMap((property) => {
    if (!isJsonObject(property)) return [];
    const { "x-mcp-header": header, type } = property;
    if (header === undefined) return headerNames(property);
    const isValid = isToken(header) && ["string", "integer", "boolean"].includes(String(type));
    if (!isValid) throw new Error("it repeats an argument in a header that is not allowed");
    return [header.toLowerCase()];
  });
  if (new Set(names).size < names.length) throw new Error("it repeats two arguments in one header");
  return names;
}

/**
 * Returns the headers that repeat arguments of a call, for properties with `x-mcp-header`.
 * @param schema input schema of the tool
 */
export function paramHeaders(schema: unknown, input: unknown): Record<string, string> {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties) || !isJsonObject(input)) return {};
  const headers: Record<string, string> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = input[name];
    if (!isJsonObject(property) || value === undefined || value === null) continue;
    const header = property["x-mcp-header"];
    if (isToken(header) && ["string", "number", "boolean"].includes(typeof value)) {
      headers[`mcp-param-${header.toLowerCase()}`] = encodeHeaderValue(String(value));
    }
    Object.assign(headers, paramHeaders(property, value));
  }
  return headers;
}
