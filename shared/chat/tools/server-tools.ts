import { isDeepStrictEqual } from "node:util";
import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import * as v from "valibot";
import type { PersonaToolServer } from "../../api/personas/personas.ts";
import { type ServerTool, type ToolMode, toolModes } from "../../api/tools/tool-server.ts";
import { sha256Bytes } from "../../lib/hash.ts";
import { traceIdOfRun } from "../../lib/tracing/trace-context.ts";
import { listUnresolvedCalls, type StoredToolCall } from "../../tools/call-store.ts";
import { listToolConsents, type StoredToolConsent } from "../../tools/consent-store.ts";
import { findTokenOf } from "../../tools/oauth/list-sign-ins.ts";
import { startSignIn } from "../../tools/oauth/sign-in-store.ts";
import { findTokens, isUsable } from "../../tools/oauth/token-store.ts";
import { ServerSession } from "../../tools/server-session.ts";
import { findToolServers, type StoredToolServer } from "../../tools/server-store.ts";
import { toFunctionName } from "../../tools/tool-names.ts";
import type { Turn } from "../turn.ts";
import { callServerTool } from "./call-server-tool.ts";
import type { AttachedTools, PinnedTool, Tool } from "./tool.ts";

/** Maximum number of tools of all servers of a persona: each definition is part of every prompt. */
const MAX_SERVER_TOOLS = 128;

const stricter = (a: ToolMode, b: ToolMode): ToolMode => (toolModes.indexOf(a) > toolModes.indexOf(b) ? a : b);

/** Checks what every server would refuse; the server itself checks the rest of its schema. */
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

/** Use of a tool by a persona. */
interface ToolUsage {
  readonly mode: ToolMode;
  readonly name: string;
  readonly pinned: PinnedTool;
  readonly isConsented: boolean;
  readonly unresolved: readonly StoredToolCall[];
  readonly needsSignIn: boolean;
}

/** Tells whether a user has agreed to calls of a tool, within the extent that its server allows. */
function findConsent(
  consents: readonly StoredToolConsent[],
  { remember }: StoredToolServer,
  pinned: PinnedTool,
  conversationId: string,
): boolean {
  return consents.some(({ persona_id, server_id, tool, definition_hash, conversation_id }) => {
    const isSame = isDeepStrictEqual({ persona_id, server_id, tool, definition_hash }, pinned);
    const isCovered = conversation_id === null ? remember === "always" : conversation_id === conversationId;
    return isSame && isCovered && remember !== "never";
  });
}

function toTool(
  session: ServerSession,
  definition: ServerTool,
  { mode, name, pinned, isConsented, unresolved, needsSignIn }: ToolUsage,
): Tool {
  const { server } = session;
  const ownUnresolved = unresolved.filter((call) => call.server_id === server.id && call.tool === definition.name);
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
    readsUntrusted: true,
    isParallel: true,
    pinned,
    isConsented,
    maxResultCharacters: server.limits.max_result_characters,
    needsSignIn: () => needsSignIn,
    startSignIn: (approvalId, ttlSeconds) => startSignIn(session.member, server, approvalId, ttlSeconds),
    hasUnresolvedCall: () => ownUnresolved.length > 0,
    run: (turn, input, _, onProgress) =>
      callServerTool(turn, {
        session,
        definition,
        input,
        unresolved: ownUnresolved.splice(0),
        options: { signal: turn.signal, meta: { traceparent: traceparent(turn) }, onProgress },
      }),
  };
}

/** Tells the model about calls whose outcome is not known. */
function toNote(unresolved: readonly StoredToolCall[]): string {
  if (unresolved.length === 0) return "";
  const calls = unresolved.map(({ server_name, tool, started_at }) => `- ${tool} of ${server_name}, ${started_at}`);
  return `The outcome of these earlier tool calls is unknown; they may have taken effect. Tell the user, and do not repeat them unless the user asks for it:\n${calls.join("\n")}`;
}

/** Returns the tools of a server that a persona can use. */
function usableTools({ enabled, tools, allowed_tools }: StoredToolServer, { tools: chosen }: PersonaToolServer) {
  if (!enabled) return [];
  return tools.filter(
    ({ name, status }) =>
      status === "approved" && (allowed_tools?.includes(name) ?? true) && (chosen?.includes(name) ?? true),
  );
}

/** Loads the tools of the servers that a persona names. */
export async function loadServerTools(turn: Turn, named: readonly PersonaToolServer[]): Promise<AttachedTools> {
  const { principal, conversation, persona } = turn;
  const [servers, unresolved, consents] = await Promise.all([
    findToolServers(
      principal,
      named.map(({ server_id }) => server_id),
    ),
    listUnresolvedCalls(principal, conversation.id),
    listToolConsents(principal),
  ]);
  const earlier = unresolved.filter(({ message_id }) => message_id !== turn.run.message_id);
  // An administrator signs in for the tenant; without that, a call fails and tells it.
  const personal = servers.filter(({ auth }) => auth.type === "oauth_user");
  const tokens = await findTokens(principal, personal);
  const taken = new Set<string>();
  const sessions: ServerSession[] = [];
  const tools = named.flatMap((entry) => {
    const server = servers.find(({ id }) => id === entry.server_id);
    if (!server) return [];
    const session = new ServerSession(principal, server);
    sessions.push(session);
    return usableTools(server, entry).map((definition) => {
      const { name, hash } = definition;
      const pinned = { persona_id: persona?.id ?? "", server_id: server.id, tool: name, definition_hash: hash };
      return toTool(session, definition, {
        mode: stricter(server.tool_modes[name] ?? server.mode, entry.mode),
        name: toFunctionName(server.name, name, taken),
        pinned,
        isConsented: findConsent(consents, server, pinned, conversation.id),
        unresolved: earlier,
        needsSignIn: personal.includes(server) && !isUsable(findTokenOf(tokens, server, principal.userId)),
      });
    });
  });
  return {
    tools: tools.slice(0, MAX_SERVER_TOOLS),
    note: toNote(earlier),
    close: async () => void (await Promise.all(sessions.map((session) => session.close()))),
  };
}
