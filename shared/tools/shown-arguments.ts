import type { ShownArgument } from "../api/embed/tool-card.ts";
import { propertiesOf } from "../api/tools/free-arguments.ts";
import { removeInvisible } from "../guardrails/sanitize-untrusted.ts";
import { isJsonObject } from "../lib/parse-json.ts";
import { truncate } from "../lib/truncate.ts";
import { boundArguments } from "./bound-arguments.ts";
import type { StoredToolServer } from "./server-store.ts";

/** Maximum number of values of a call that are shown, and the maximum length of each in UTF-16 code units. */
const MAX_SHOWN = 40;
const MAX_VALUE_LENGTH = 2_000;

type Schema = Readonly<Record<string, unknown>>;

/** Returns the words of a name such as `orderId` or `order_id`. */
export function titleOfName(name: string): string {
  const words = name.replace(/([\p{Ll}\d])(?=\p{Lu})/gu, "$1 ").replace(/[_.\-/$ ]+/g, " ");
  const text = words.trim().toLowerCase();
  return text === "" ? name : text[0]?.toUpperCase() + text.slice(1);
}

function toLabel(name: string, schema: unknown): string {
  const title = isJsonObject(schema) ? schema.title : undefined;
  return typeof title === "string" && title !== "" ? truncate(removeInvisible(title), 120) : titleOfName(name);
}

const toSchema = (schema: unknown): Schema => (isJsonObject(schema) ? schema : {});

/** Returns the fields of an object, each with its label after that of the object. */
function fieldsOf(schema: Schema, value: object, prefix: string): ShownArgument[] {
  const properties = propertiesOf(schema);
  return Object.entries(value).flatMap(([name, each]) =>
    toRows(prefix + toLabel(name, properties[name]), toSchema(properties[name]), each),
  );
}

function toRows(label: string, schema: Schema, value: unknown): ShownArgument[] {
  if (typeof value === "boolean") return [{ label, value }];
  if (Array.isArray(value) && value.some((each) => typeof each === "object" && each !== null)) {
    return value.flatMap((each, index) => toRows(`${label} ${index + 1}`, toSchema(schema.items), each));
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return fieldsOf(schema, value, `${label}: `);
  }
  const text = Array.isArray(value) ? value.join(", ") : value === null ? "–" : String(value);
  const visible = removeInvisible(text);
  return [{ label, value: visible.length > MAX_VALUE_LENGTH ? `${truncate(visible, MAX_VALUE_LENGTH)}…` : visible }];
}

/**
 * Returns the arguments of a call in words, for a visitor who is asked to agree to it: without identifiers of the visitor, which
 * the service sets.
 */
export function toShownArguments(
  server: Pick<StoredToolServer, "bind" | "kind">,
  tool: { readonly input_schema: Schema },
  input: unknown,
): ShownArgument[] {
  const { body, ...others } = Object(input);
  const properties = propertiesOf(tool.input_schema);
  const isAction = server.kind === "http" && isJsonObject(body);
  const rows = [
    ...fieldsOf(tool.input_schema, isAction ? others : Object(input), ""),
    ...(isAction ? fieldsOf(toSchema(properties.body), body, "") : []),
  ];
  const shown = rows.length > MAX_SHOWN ? [...rows.slice(0, MAX_SHOWN), { label: "…", value: "…" }] : rows;
  const ofBody = server.kind === "http" ? propertiesOf(toSchema(properties.body)) : {};
  const bound = boundArguments(server, tool).flatMap(([name, value]): ShownArgument[] =>
    value === "visitor.sub" || value === "visitor.email"
      ? [{ label: toLabel(name, properties[name] ?? ofBody[name]), value: null, bound: value }]
      : [],
  );
  return [...shown, ...bound];
}
