import * as v from "valibot";
import { MAX_TOOLS_PER_SERVER, type ServerTool, ServerToolName, type ToolServer } from "../api/tools/tool-server.ts";
import { sanitizeUntrusted } from "../guardrails/sanitize-untrusted.ts";
import { sha256 } from "../lib/hash.ts";
import { truncate } from "../lib/truncate.ts";
import { expandSchema, SchemaError } from "./expand-schema.ts";
import { headerNames } from "./mcp/param-headers.ts";

/** Size limits of tool definitions, because all definitions of a server are stored in one item of at most 400 KB. */
const MAX_DESCRIPTION_CHARACTERS = 4_000;
const MAX_TITLE_CHARACTERS = 120;
const MAX_TOTAL_CHARACTERS = 150_000;
const MAX_SKIPPED = 20;

const Definition = v.looseObject({
  name: ServerToolName,
  title: v.optional(v.nullable(v.string())),
  description: v.optional(v.nullable(v.string())),
  inputSchema: v.optional(v.unknown()),
  outputSchema: v.optional(v.unknown()),
  annotations: v.optional(v.nullable(v.looseObject({}))),
});

/** Operation of an OpenAPI document that cannot become a tool, with the reason. */
const Problem = v.object({ name: v.string(), problem: v.string() });

/** Serializes a value as JSON with sorted keys, so that a different order of keys does not change the hash. */
function canonicalJson(value: unknown): string {
  const sorted = (_: string, entry: unknown) =>
    typeof entry === "object" && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
      : entry;
  return JSON.stringify(value, sorted) ?? "null";
}

/** Definition of a tool in the server's current list. */
type ListedTool = Omit<ServerTool, "status">;

/** Usable tools of a server, and those that are skipped, with the reason. */
interface ListedTools {
  readonly tools: readonly ListedTool[];
  readonly skipped: ToolServer["skipped_tools"];
}

/**
 * Requires that all headers named with `x-mcp-header` in a schema are allowed.
 * @throws SchemaError
 */
function requireHeaders(schema: object): void {
  try {
    headerNames(schema);
  } catch (error) {
    throw new SchemaError((error as Error).message);
  }
}

/**
 * Converts a definition to a tool with sanitized texts and the hash by which a later change is detected.
 * @param root document to which references of the schema refer; undefined for MCP servers
 * @throws SchemaError if the tool cannot be used
 */
function toListedTool(raw: v.InferOutput<typeof Definition>, root: unknown): ListedTool {
  const { name, title, description, inputSchema = { type: "object" }, outputSchema, annotations } = raw;
  // Only actions have a request; that of a server's definition means nothing.
  const request = root === undefined ? undefined : (raw.request as ServerTool["request"]);
  const text = sanitizeUntrusted(description ?? "").trim();
  if (text.length > MAX_DESCRIPTION_CHARACTERS) {
    throw new SchemaError(`its description has more than ${MAX_DESCRIPTION_CHARACTERS} characters`);
  }
  const label = title ?? annotations?.title;
  const input_schema = expandSchema(inputSchema, root ?? inputSchema);
  requireHeaders(input_schema);
  return {
    name,
    title: truncate(sanitizeUntrusted(typeof label === "string" && label ? label : name), MAX_TITLE_CHARACTERS),
    description: text,
    input_schema,
    ...(request && { request }),
    // The specification's defaults: not read-only, and destructive.
    hints: { read_only: annotations?.readOnlyHint === true, destructive: annotations?.destructiveHint !== false },
    hash: sha256(canonicalJson({ name, title, description, inputSchema, outputSchema, annotations, request })),
  };
}

/**
 * Converts the definitions that a server lists to tools, and skips those that are malformed, too large or too many.
 * @param allowed names of the tools to include; null for all
 * @param document document to which the schemas of actions refer; omitted for MCP servers
 */
export function toListedTools(
  definitions: readonly unknown[],
  allowed: readonly string[] | null,
  document?: unknown,
): ListedTools {
  const tools = new Map<string, ListedTool>();
  const skipped: { name: string; reason: string }[] = [];
  let characters = 0;
  const skip = (name: string, reason: string) => void skipped.push({ name: truncate(name, 128), reason });
  for (const raw of definitions) {
    if (v.is(Problem, raw)) {
      skip(raw.name, raw.problem);
      continue;
    }
    const parsed = v.safeParse(Definition, raw);
    if (!parsed.success) {
      const name = (raw as { readonly name?: unknown } | null)?.name;
      skip(sanitizeUntrusted(typeof name === "string" ? name : "(unnamed)"), "its name or definition is malformed");
      continue;
    }
    const { name } = parsed.output;
    if (allowed && !allowed.includes(name)) continue;
    try {
      const tool = toListedTool(parsed.output, document);
      characters += JSON.stringify(tool).length;
      if (tools.has(name)) skip(name, "another tool has the same name");
      else if (tools.size === MAX_TOOLS_PER_SERVER || characters > MAX_TOTAL_CHARACTERS) {
        skip(
          name,
          `a server has at most ${MAX_TOOLS_PER_SERVER} tools of limited size; name those to use in allowed_tools`,
        );
      } else tools.set(name, tool);
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      skip(name, error.message);
    }
  }
  for (const name of allowed ?? []) {
    if (!tools.has(name) && !skipped.some((entry) => entry.name === name)) skip(name, "the server does not list it");
  }
  return { tools: [...tools.values()], skipped: skipped.slice(0, MAX_SKIPPED) };
}

/**
 * Compares the listed tools of a server with the pinned ones. Tools that need an approval get the status `new`,
 * `changed` or `removed`.
 */
export function compareTools(pinned: readonly ServerTool[], listed: readonly ListedTool[]): ServerTool[] {
  const before = new Map(pinned.map((tool) => [tool.name, tool]));
  const names = new Set(listed.map(({ name }) => name));
  const current = listed.map((tool): ServerTool => {
    const known = before.get(tool.name);
    if (!known) return { ...tool, status: "new" };
    if (known.hash === tool.hash) return { ...tool, status: known.status === "removed" ? "approved" : known.status };
    return { ...tool, status: known.status === "new" ? "new" : "changed" };
  });
  const removed = pinned.filter(({ name, status }) => !names.has(name) && status !== "new");
  return [...current, ...removed.map((tool): ServerTool => ({ ...tool, status: "removed" }))];
}
