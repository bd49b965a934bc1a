import { propertiesOf } from "../api/tools/free-arguments.ts";
import type { BoundValue } from "../api/tools/tool-server.ts";
import { invalidFields } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { isJsonObject } from "../lib/parse-json.ts";
import type { Caller } from "./caller-context.ts";
import type { StoredToolServer } from "./server-store.ts";
import { ToolServerError } from "./tool-server-error.ts";

/**
 * Values that arguments can be bound to, of users or of visitors with a token of the website. A program with an API key that acts
 * for no user has none.
 */
const values: Readonly<Record<BoundValue, (caller: Caller) => string | null>> = {
  "user.sub": ({ kind, sub }) => (kind === "user" ? sub : null),
  "user.email": ({ kind, email }) => (kind === "user" ? email : null),
  "visitor.sub": ({ visitor_sub }) => visitor_sub,
  "visitor.email": ({ kind, email }) => (kind === "visitor" ? email : null),
};

type Server = Pick<StoredToolServer, "id" | "bind" | "kind">;

interface BindableTool {
  readonly name: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

type DescribedTool = Pick<BindableTool, "input_schema">;

/** Returns the bound arguments that an input has, which only the service may set. */
const chosenNames = ({ bind }: Pick<Server, "bind">, input: unknown): string[] =>
  Object.keys(bind)
    .sort()
    .filter((name) => Object.hasOwn(Object(input), name));

/** Returns true if `bindArguments` refuses the arguments of a call, because they contain one that the service sets. */
export function choosesBound(server: Pick<Server, "bind" | "kind">, tool: DescribedTool, input: unknown): boolean {
  const isAction = server.kind === "http" && isJsonObject(propertiesOf(tool.input_schema).body);
  return [input, isAction ? Object(input).body : undefined].some((each) => chosenNames(server, each).length > 0);
}

/** Returns an object with the bound fields that its schema has. */
function bindFields(
  { id, bind }: Server,
  tool: BindableTool,
  schema: BindableTool["input_schema"],
  input: unknown,
  caller: Caller,
): unknown {
  const names = Object.keys(bind).sort();
  const chosen = chosenNames({ bind }, input);
  if (chosen.length > 0) {
    log.warn("bound arguments refused", { server_id: id, tool: tool.name, arguments: chosen, call_id: caller.call_id });
    throw new ToolServerError(`The service sets ${chosen.join(", ")}. Call the tool without.`);
  }
  const properties = propertiesOf(schema);
  const bound = names.filter((name) => Object.hasOwn(properties, name));
  if (bound.length === 0) return input;
  if (input !== undefined && !isJsonObject(input)) throw new ToolServerError("The arguments must be an object.");
  const set = bound.map((name) => [name, values[bind[name] as BoundValue](caller)] as const);
  const missing = set.flatMap(([name, value]) => (value === null ? [`${name} (${bind[name]})`] : []));
  if (missing.length > 0) {
    throw new ToolServerError(`The tool needs ${missing.join(", ")} of the caller, who has none.`);
  }
  return { ...input, ...Object.fromEntries(set) };
}

/** Returns the names of the arguments of a tool, also those in the JSON body of an action. */
function argumentNames({ kind }: Pick<Server, "kind">, { input_schema }: DescribedTool): string[] {
  const properties = propertiesOf(input_schema);
  const { body } = properties;
  return [properties, kind === "http" && isJsonObject(body) ? propertiesOf(body) : {}].flatMap(Object.keys);
}

/**
 * Requires that each bound argument is one of a tool of the server, because the model would choose one whose name is misspelled.
 * A server whose tools are not known yet can bind any.
 * @throws ServiceError `validation_failed`
 */
export function requireBoundArguments(server: Pick<StoredToolServer, "bind" | "kind" | "tools">): void {
  const names = new Set(server.tools.flatMap((tool) => argumentNames(server, tool)));
  const unknown = Object.keys(server.bind).filter((name) => !names.has(name));
  if (server.tools.length === 0 || unknown.length === 0) return;
  throw invalidFields(
    unknown.map((name) => ({
      ...{ path: `bind.${name}`, location: "body", code: "unknown_argument" },
      message: "must be an argument of a tool of the server",
    })),
  );
}

/** Returns the arguments of a tool that the service sets, with the values to which they are bound. */
export function boundArguments(server: Pick<Server, "bind" | "kind">, tool: DescribedTool): [string, BoundValue][] {
  const names = new Set(argumentNames(server, tool));
  return Object.entries(server.bind).filter(([name]) => names.has(name));
}

/**
 * Returns the arguments of a call with those that the service sets, as far as the tool, or the JSON body of an action, has them.
 * @param input arguments that the model, the user or an administrator chose
 * @throws ToolServerError if they contain one that the service sets, or if the caller lacks its value
 */
export function bindArguments(server: Server, tool: BindableTool, input: unknown, caller: Caller): unknown {
  const filled = bindFields(server, tool, tool.input_schema, input, caller);
  const { body: schema } = propertiesOf(tool.input_schema);
  if (server.kind !== "http" || !isJsonObject(schema)) return filled;
  const { body: chosen } = Object(filled);
  const body = bindFields(server, tool, schema, chosen, caller);
  return body === chosen ? filled : { ...Object(filled), body };
}
