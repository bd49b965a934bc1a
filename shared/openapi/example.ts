import type { Json } from "./json-schema.ts";

const ID = "01978a3e-5c1f-7b60-9d2e-3f4a5b6c7d8e";
const TIMESTAMP = "2026-03-14T09:26:53.589Z";

/** Typical values by property name; a value is used only where the property's schema allows its type. */
const valuesByName: Readonly<Record<string, unknown>> = {
  title: "Holiday plans",
  name: "Support",
  display_name: "Support",
  description: "Answers questions about orders and returns.",
  content: "What can you do?",
  text: "The warranty period is two years.",
  query: "How long is the warranty?",
  body: "Call the supplier on Monday.",
  language: "en",
  slug: "support",
  model: "support",
  tenant_id: "acme",
  user_id: "ada",
  owner_id: "ada",
  author_id: "ada",
  grantee_id: "grace",
  email: "ada@example.com",
  contact_email: "ada@example.com",
  uri: "https://example.com/warranty",
  url: "https://example.com/warranty",
  webhook_url: "/v1/webhooks/pager",
  channel_id: "pager",
  token: "swt_…",
  secret: "5f1d…",
  bot_token: "xoxb-example",
  signing_secret: "0123456789abcdef0123456789abcdef",
  source_type: "document",
  snippet: "The warranty period is two years.",
  quote: "The warranty period is two years.",
  color: "#2f6fed",
  allowed_origins: ["https://shop.example.com"],
  instructions: "Answer in a friendly tone.",
  scope: "user",
  category: "preference",
  limit: 50,
  next_cursor: null,
  cost_usd: 0.0021,
  input_tokens: 812,
  output_tokens: 164,
  total_tokens: 976,
  score: 0.87,
};

const isType = (value: unknown, types: readonly string[]) =>
  types.some((type) =>
    type === "null"
      ? value === null
      : type === "array"
        ? Array.isArray(value)
        : type === "integer"
          ? Number.isInteger(value)
          : typeof value === type,
  );

function stringExample(name: string, { format, pattern, minLength = 0 }: Json): string {
  if (format === "date-time" || /(_at|_until)$/.test(name)) return TIMESTAMP;
  if (format === "date" || name === "date" || name === "day" || name === "from" || name === "to") return "2026-03-14";
  if (/(^|_)ids?$/.test(name)) return ID;
  if (typeof pattern === "string") {
    for (const candidate of [
      ID,
      "support",
      "example",
      "1",
      "2026-03-14",
      TIMESTAMP,
      "https://example.com",
      "#2f6fed",
    ]) {
      if (new RegExp(pattern, "u").test(candidate)) return candidate;
    }
  }
  return "example".padEnd(Number(minLength), "-");
}

/**
 * Returns an example value of a JSON Schema: typical values for well-known property names, the first alternative of a
 * union, one entry per array.
 * @param components schemas that references point to
 */
export function exampleOf(schema: Json, components: Readonly<Record<string, Json>>, name = "", depth = 0): unknown {
  if (typeof schema.$ref === "string") {
    const target = components[schema.$ref.split("/").at(-1) ?? ""] ?? {};
    return exampleOf(target, components, name, depth);
  }
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if ("default" in schema) return schema.default;
  if (Array.isArray(schema.examples)) return schema.examples[0];
  const types = [schema.type].flat().filter((type): type is string => typeof type === "string");
  const typical = valuesByName[name];
  if (typical !== undefined && isType(typical, types)) return typical;
  for (const keyword of ["anyOf", "oneOf"]) {
    const alternatives = schema[keyword] as Json[] | undefined;
    if (alternatives) return exampleOf(alternatives[0] ?? {}, components, name, depth + 1);
  }
  if (Array.isArray(schema.allOf)) {
    return Object.assign({}, ...schema.allOf.map((part) => exampleOf(part as Json, components, name, depth + 1)));
  }
  const [type] = types;
  switch (type) {
    case "object": {
      if (depth > 8) return {};
      const properties = (schema.properties ?? {}) as Record<string, Json>;
      const required = new Set((schema.required ?? []) as string[]);
      const shown = Object.entries(properties).filter(([property]) => required.size === 0 || required.has(property));
      return Object.fromEntries(
        shown.map(([property, each]) => [property, exampleOf(each, components, property, depth + 1)]),
      );
    }
    case "array": {
      const items = schema.items as Json | undefined;
      return items ? [exampleOf(items, components, name.replace(/s$/, ""), depth + 1)] : [];
    }
    case "integer":
    case "number":
      return typeof schema.minimum === "number" ? Math.max(schema.minimum, 1) : 1;
    case "boolean":
      return true;
    case "string":
      return stringExample(name, schema);
    default:
      return type === "null" ? null : {};
  }
}
