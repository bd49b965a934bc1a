import { propertiesOf } from "../api/tools/free-arguments.ts";
import type { BoundValue } from "../api/tools/tool-server.ts";
import { log } from "../lib/log.ts";
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

/**
 * Returns the arguments of a call with those that the service sets, as far as the tool has them.
 * @param input arguments that the model, the user or an administrator chose
 * @throws ToolServerError if they contain one that the service sets, or if the caller lacks its value
 */
export function bindArguments(
  { id, bind }: Pick<StoredToolServer, "id" | "bind">,
  tool: { readonly name: string; readonly input_schema: Readonly<Record<string, unknown>> },
  input: unknown,
  caller: Caller,
): unknown {
  const names = Object.keys(bind).sort();
  if (names.length === 0) return input;
  const chosen = names.filter((name) => Object.hasOwn(Object(input), name));
  if (chosen.length > 0) {
    log.warn("bound arguments refused", { server_id: id, tool: tool.name, arguments: chosen, call_id: caller.call_id });
    throw new ToolServerError(`The service sets ${chosen.join(", ")}. Call the tool without.`);
  }
  const properties = propertiesOf(tool.input_schema);
  const bound = names.filter((name) => Object.hasOwn(properties, name));
  const set = bound.map((name) => [name, values[bind[name] as BoundValue](caller)] as const);
  const missing = set.flatMap(([name, value]) => (value === null ? [`${name} (${bind[name]})`] : []));
  if (missing.length > 0) {
    throw new ToolServerError(`The tool needs ${missing.join(", ")} of the caller, who has none.`);
  }
  return { ...Object(input), ...Object.fromEntries(set) };
}
