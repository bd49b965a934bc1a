import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import * as v from "valibot";
import type { PersonaToolServer } from "../../api/personas/personas.ts";
import { type ServerTool, type ToolMode, toolModes } from "../../api/tools/tool-server.ts";
import { sha256Bytes } from "../../lib/hash.ts";
import { traceIdOfRun } from "../../lib/tracing/trace-context.ts";
import type { StoredToolCall } from "../../tools/call-store.ts";
import { depthMeta } from "../../tools/mcp/call-depth.ts";
import type { ServerSession } from "../../tools/server-session.ts";
import type { StoredToolServer } from "../../tools/server-store.ts";
import type { Turn } from "../turn.ts";
import { callServerTool } from "./call-server-tool.ts";
import type { PinnedTool, Tool } from "./tool.ts";

/** Maximum number of tools of all servers of a persona: each definition is part of every prompt. */
export const MAX_SERVER_TOOLS = 128;

const stricter = (a: ToolMode, b: ToolMode): ToolMode => (toolModes.indexOf(a) > toolModes.indexOf(b) ? a : b);

/** Returns the consent that calls of a tool by a persona need: the stricter of the modes of server and persona. */
export const modeOf = ({ tool_modes, mode }: StoredToolServer, entry: PersonaToolServer, tool: string): ToolMode =>
  stricter(tool_modes[tool] ?? mode, entry.mode);

/** Requires the fields that the schema of the tool requires. The server itself checks the rest. */
function toInput({ input_schema }: ServerTool): v.GenericSchema {
  const required = Array.isArray(input_schema.required) ? (input_schema.required as unknown[]).map(String) : [];
  return v.pipe(
    v.looseObject({}),
    v.check(
      (input) => required.every((name) => Object.hasOwn(input, name)),
      () => `must have ${required.join(", ")}`,
    ),
  );
}

/** Returns a trace context, so that logs of servers can be found by the trace of the request. */
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

export interface ToolUsage {
  readonly mode: ToolMode;
  readonly name: string;
  readonly pinned: PinnedTool;
  /** Earlier calls without a known outcome. The next call takes them out of the list. */
  readonly unresolved: StoredToolCall[];
  /** True if the user can answer questions of the server. */
  readonly canAsk: boolean;
}

/** Returns the tool that stands for one of a server. */
export function toServerTool(
  session: ServerSession,
  definition: ServerTool,
  { mode, name, pinned, unresolved, canAsk }: ToolUsage,
): Tool {
  const { server } = session;
  const declaration: LanguageModelV4FunctionTool = {
    type: "function",
    name,
    description: definition.description,
    inputSchema: definition.input_schema as LanguageModelV4FunctionTool["inputSchema"],
  };
  return {
    name,
    title: `${server.name}: ${definition.title}`,
    definition: declaration,
    input: toInput(definition),
    mode,
    hasEffect: !server.trusted_tools.includes(definition.name),
    isParallel: true,
    pinned,
    maxResultCharacters: server.limits.max_result_characters,
    timeoutMs: server.limits.timeout_seconds * 1_000,
    run: (turn, input, _, onProgress, resumption) =>
      callServerTool(turn, {
        session,
        definition,
        input,
        unresolved: unresolved.splice(0),
        options: {
          signal: turn.signal,
          meta: { traceparent: traceparent(turn), ...depthMeta(turn.run.tool_depth ?? 0) },
          canAsk,
          resumption,
          onProgress,
        },
      }),
  };
}
