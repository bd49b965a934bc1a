import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import * as v from "valibot";
import type { PersonaToolServer } from "../../api/personas/persona.ts";
import { freeArguments } from "../../api/tools/free-arguments.ts";
import { type ServerTool, type ToolMode, toolModes } from "../../api/tools/tool-server.ts";
import { sha256Bytes } from "../../lib/hash.ts";
import { traceIdOfRun } from "../../lib/tracing/trace-context.ts";
import { choosesBound } from "../../tools/bound-arguments.ts";
import type { StoredToolCall } from "../../tools/call-store.ts";
import { toDeclaredSchema } from "../../tools/expand-schema.ts";
import { depthMeta } from "../../tools/mcp/call-depth.ts";
import type { ServerSession } from "../../tools/server-session.ts";
import type { StoredToolServer } from "../../tools/server-store.ts";
import { titleOfName, toShownArguments } from "../../tools/shown-arguments.ts";
import type { Turn } from "../turn.ts";
import { callServerTool } from "./call-server-tool.ts";
import type { PinnedTool, Tool } from "./tool.ts";

/** Maximum number of tools of a persona's MCP servers. Each definition is part of every prompt. */
export const MAX_SERVER_TOOLS = 128;

const stricter = (a: ToolMode, b: ToolMode): ToolMode => (toolModes.indexOf(a) > toolModes.indexOf(b) ? a : b);

/** Returns the consent that a call needs: the stricter one of the settings of the server and the persona. */
export const modeOf = ({ tool_modes, mode }: StoredToolServer, entry: PersonaToolServer, tool: string): ToolMode =>
  stricter(tool_modes[tool] ?? mode, entry.mode);

/** Returns a schema that checks only that required fields are present. The server validates the rest. */
function toInput(schema: ServerTool["input_schema"]): v.GenericSchema {
  const required = Array.isArray(schema.required) ? (schema.required as unknown[]).map(String) : [];
  return v.pipe(
    v.looseObject({}),
    v.check(
      (input) => required.every((name) => Object.hasOwn(input, name)),
      () => `must have ${required.join(", ")}`,
    ),
  );
}

/** Returns a W3C trace context that links the logs of a tool server with the trace of the run. */
function traceparent({ run }: Turn): string {
  const spanId = sha256Bytes(run.message_id + performance.now())
    .toString("hex")
    .slice(0, 16);
  return `00-${traceIdOfRun(run)}-${spanId}-01`;
}

export function usableTools({ enabled, tools, allowed_tools }: StoredToolServer, { tools: chosen }: PersonaToolServer) {
  if (!enabled) return [];
  return tools.filter(
    ({ name, status }) =>
      status === "approved" && (allowed_tools?.includes(name) ?? true) && (chosen?.includes(name) ?? true),
  );
}

interface ToolUsage {
  readonly mode: ToolMode;
  readonly name: string;
  readonly pinned: PinnedTool;
  /** Earlier calls with an unknown outcome. The next call removes them from the array and acknowledges them. */
  readonly unresolved: StoredToolCall[];
  /** True if the user can be asked questions that the server asks. */
  readonly canAsk: boolean;
  /** True for visitors of a website, who see the title of the tool and not the name of the server. */
  readonly isForVisitor?: boolean;
}

/** Wraps a tool of an MCP server as a tool of a turn. */
export function toServerTool(
  session: ServerSession,
  definition: ServerTool,
  { mode, name, pinned, unresolved, canAsk, isForVisitor = false }: ToolUsage,
): Tool {
  const { server } = session;
  const { title } = definition;
  const schema = freeArguments(definition.input_schema, server);
  const declaration: LanguageModelV4FunctionTool = {
    type: "function",
    name,
    description: definition.description,
    inputSchema: toDeclaredSchema(schema) as LanguageModelV4FunctionTool["inputSchema"],
  };
  return {
    name,
    title: isForVisitor ? (title === definition.name ? titleOfName(title) : title) : `${server.name}: ${title}`,
    definition: declaration,
    input: toInput(schema),
    mode,
    hasEffect: !server.trusted_tools.includes(definition.name),
    isParallel: true,
    pinned,
    isRefused: (input) => choosesBound(server, definition, input),
    shownArguments: (input) => toShownArguments(server, definition, input),
    maxResultCharacters: server.limits.max_result_characters,
    timeoutMs: server.limits.timeout_seconds * 1_000,
    run: (turn, input, _, onProgress, decided) =>
      callServerTool(turn, {
        session,
        definition,
        input,
        unresolved: unresolved.splice(0),
        approvalId: decided?.approvalId ?? null,
        options: {
          signal: turn.signal,
          meta: { traceparent: traceparent(turn), ...depthMeta(turn.run.tool_depth ?? 0) },
          canAsk,
          resumption: decided?.resumption,
          onProgress,
        },
      }),
  };
}
