import type { LanguageModelV4FunctionTool, LanguageModelV4ToolCall } from "@ai-sdk/provider";
import type { GuardrailPolicy } from "../../api/governance/guardrail-policy.ts";
import type { ToolName } from "../../api/tools.ts";
import { type ApiKeyPrincipal, serviceIdOf, type UserPrincipal } from "../../auth/principal.ts";
import { newConversation } from "../../conversations/conversation-store.ts";
import { timestamp } from "../../lib/clock.ts";
import { findTraceContext } from "../../lib/tracing/trace-context.ts";
import type { Endpoint } from "../../personas/endpoint-store.ts";
import { ServerSession } from "../../tools/server-session.ts";
import { findToolServers } from "../../tools/server-store.ts";
import { toFunctionName } from "../../tools/tool-names.ts";
import { newTurn } from "../new-turn.ts";
import { hasReadUntrusted } from "../read-origins.ts";
import type { Turn } from "../turn.ts";
import { allowedTools } from "./allowed-tools.ts";
import { calculateTool } from "./calculate.ts";
import { currentTimeTool } from "./current-time.ts";
import { errorOutput, hasEffect, prepareToolUse, type RunResult, runTool, toToolResultPart } from "./run-tool.ts";
import { MAX_SERVER_TOOLS, modeOf, toServerTool, usableTools } from "./server-tool.ts";
import type { Tool } from "./tool.ts";
import { toolRounds } from "./tool-rounds.ts";
import { readPageTool, webSearchTool } from "./web-tools.ts";

/** Built-in tools that work without a conversation and a user. */
const programTools: Readonly<Partial<Record<ToolName, Tool>>> = {
  calculate: calculateTool,
  current_time: currentTimeTool,
  web_search: webSearchTool,
  read_page: readPageTool,
};

const needsConsent =
  "The call was not executed: it changes something and follows text that others wrote, so a user would have to agree to it, and a program cannot ask one. Answer without it, and tell it.";

/** Result of a tool call as text for the model. */
interface ProgramToolResult {
  readonly callId: string;
  readonly text: string;
}

/** Tools that the service itself executes for a request to the OpenAI-compatible API. */
export interface ProgramTools {
  readonly definitions: readonly LanguageModelV4FunctionTool[];
  /** Maximum number of rounds of tool calls. */
  readonly rounds: number;
  /**
   * Executes calls concurrently. A call that would need a user's consent is refused, because there is no user to ask.
   */
  run(calls: readonly LanguageModelV4ToolCall[], signal: AbortSignal): Promise<ProgramToolResult[]>;
  close(): Promise<void>;
}

export interface ProgramRequest {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly guardrails: GuardrailPolicy;
  /**
   * True if the request contains text that possibly someone other than the sender wrote, such as a result of a tool.
   */
  readonly hasForeignText: boolean;
  readonly question: string;
}

/** Creates a turn for a request outside of conversations. Only records of its tool calls are stored. */
function newProgramTurn(principal: UserPrincipal, request: ProgramRequest, signal: AbortSignal): Turn {
  const { id, endpoint, model, guardrails, hasForeignText, question: questionText } = request;
  const { persona_id, tier } = endpoint;
  const { userId } = principal;
  const conversation = { ...newConversation(userId, { title: "", tier, folder_id: null, persona_id }), id };
  const ids = { message_id: id, conversation_id: id, parent_id: null };
  const created_at = timestamp();
  const run = {
    ...ids,
    ...{ user_message_id: id, user_id: userId, request_id: id, persona_id, tier, model, created_at },
    ...(findTraceContext() && { traceparent: findTraceContext()?.traceparent }),
  };
  const question = { ...ids, author_id: userId, role: "user", content: [], created_at } as unknown as Turn["question"];
  const turn = newTurn({ principal, conversation, question, run, persona: null, signal });
  return { ...turn, guardrails, questionText, historyOrigins: hasForeignText ? ["message"] : [] };
}

/** Executes one call and returns its result. The events are dropped, because the API does not send them. */
async function runToEnd(
  turn: Turn,
  tools: readonly Tool[],
  call: LanguageModelV4ToolCall,
  isUntrusted: boolean,
): Promise<RunResult["part"]> {
  const use = prepareToolUse(tools, call);
  if ("problem" in use) return toToolResultPart(call, errorOutput(use.problem));
  if (isUntrusted && hasEffect(turn, use)) return toToolResultPart(call, errorOutput(needsConsent));
  const events = runTool(turn, use, call);
  for (;;) {
    const { done, value } = await events.next();
    if (done) return value.part;
  }
}

/**
 * Connects to the tool servers of an endpoint. Only tools that need no consent are loaded, and no servers that require
 * a sign-in of each user.
 */
async function loadServerTools(principal: UserPrincipal, { tool_servers, persona_id }: Endpoint) {
  const ids = tool_servers.map(({ server_id }) => server_id);
  const servers = ids.length > 0 ? await findToolServers(principal, ids) : [];
  const taken = new Set<string>();
  const sessions: ServerSession[] = [];
  const tools = tool_servers.flatMap((entry) => {
    const server = servers.find(({ id, auth }) => id === entry.server_id && auth.type !== "oauth_user");
    if (!server) return [];
    const session = new ServerSession(principal, server);
    sessions.push(session);
    return usableTools(server, entry)
      .map((definition) => ({ definition, mode: modeOf(server, entry, definition.name) }))
      .filter(({ mode }) => mode === "auto")
      .map(({ definition, mode }) => {
        const { name: tool, hash } = definition;
        const pinned = { persona_id, server_id: server.id, tool, definition_hash: hash };
        const name = toFunctionName(server.name, tool, taken);
        return toServerTool(session, definition, { mode, name, pinned, unresolved: [], canAsk: false });
      });
  });
  return { tools: tools.slice(0, MAX_SERVER_TOOLS), sessions };
}

/** Returns the service principal of an API key, which tool calls use instead of a user. */
function toService({ tenantId, keyId, expiresAt, creatorId, ...key }: ApiKeyPrincipal): UserPrincipal {
  const userId = serviceIdOf(keyId);
  const { scopes, allowedOrigins, guardrails, permissions } = key;
  return {
    ...{ kind: "user", tenantId, userId, roles: [], email: null, name: null, provider: "api_key", expiresAt },
    apiKey: {
      ...{ id: keyId, hash: "", conversationId: null, creatorId },
      ...{ scopes, allowedOrigins, guardrails, permissions },
    },
  };
}

/** Returns the tools for a request, or null if its endpoint has none or has the tier QUICK. */
export async function loadProgramTools(key: ApiKeyPrincipal, request: ProgramRequest): Promise<ProgramTools | null> {
  const { endpoint } = request;
  const { tier } = endpoint;
  if (tier === "QUICK") return null;
  const principal = toService(key);
  const { tools: serverTools, sessions } = await loadServerTools(principal, endpoint);
  const ownTools = allowedTools(tier, endpoint.tools).flatMap((name) => programTools[name] ?? []);
  const tools = [...ownTools, ...serverTools];
  if (tools.length === 0) return null;
  let turn: Turn | null = null;
  return {
    definitions: tools.map(({ definition }) => definition),
    rounds: toolRounds(tier),
    async run(calls, signal) {
      const current = turn ?? newProgramTurn(principal, request, signal);
      turn = current;
      const isUntrusted = hasReadUntrusted(current);
      const parts = await Promise.all(calls.map((call) => runToEnd(current, tools, call, isUntrusted)));
      current.answer.prompt.push({ role: "tool", content: parts });
      return parts.map(({ toolCallId, output }) => ({
        callId: toolCallId,
        text: "value" in output ? String(output.value) : "",
      }));
    },
    close: async () => void (await Promise.all(sessions.map((session) => session.close()))),
  };
}
