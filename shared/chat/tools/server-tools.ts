import { isDeepStrictEqual } from "node:util";
import type { PersonaToolServer } from "../../api/personas/persona.ts";
import { visitorMode } from "../../api/tools/visitor-mode.ts";
import { listUnresolvedCalls, type StoredToolCall } from "../../tools/call-store.ts";
import { listToolConsents, type StoredToolConsent } from "../../tools/consent-store.ts";
import { findTokenOf } from "../../tools/oauth/list-sign-ins.ts";
import { startSignIn } from "../../tools/oauth/sign-in-store.ts";
import { findTokens, isUsable } from "../../tools/oauth/token-store.ts";
import { ServerSession } from "../../tools/server-session.ts";
import { findToolServers, type StoredToolServer } from "../../tools/server-store.ts";
import { toFunctionName } from "../../tools/tool-names.ts";
import type { Turn } from "../turn.ts";
import { MAX_SERVER_TOOLS, modeOf, toServerTool, usableTools } from "./server-tool.ts";
import type { AttachedTools, PinnedTool, Tool } from "./tool.ts";

/**
 * Returns true if the user has agreed to calls of a tool for this conversation or, if the server allows it, for all.
 */
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

/** Returns a note that tells the model about earlier calls with an unknown outcome; empty if there are none. */
function toNote(unresolved: readonly StoredToolCall[]): string {
  if (unresolved.length === 0) return "";
  const calls = unresolved.map(({ server_name, tool, started_at }) => `- ${tool} of ${server_name}, ${started_at}`);
  return `The outcome of these earlier tool calls is unknown; they may have taken effect. Tell the user, and do not repeat them unless the user asks for it:\n${calls.join("\n")}`;
}

/** Connects to the MCP servers that a persona names and returns their usable tools. */
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
    const needsSignIn = personal.includes(server) && !isUsable(findTokenOf(tokens, server, principal.userId));
    const usable = usableTools(server, entry).filter(
      // Visitors neither sign in to a server nor wait for an approver.
      ({ name }) => principal.kind === "user" || visitorMode(server, name) !== null,
    );
    return usable.map((definition): Tool => {
      const { name, hash } = definition;
      const pinned = { persona_id: persona?.id ?? "", server_id: server.id, tool: name, definition_hash: hash };
      const ownUnresolved = earlier.filter((call) => call.server_id === server.id && call.tool === name);
      return {
        ...toServerTool(session, definition, {
          mode: modeOf(server, entry, name),
          name: toFunctionName(server.name, name, taken),
          pinned,
          unresolved: ownUnresolved,
          canAsk: principal.kind === "user" && !turn.run.schedule_run,
          isForVisitor: principal.kind === "visitor",
        }),
        remember: server.remember,
        isConsented: findConsent(consents, server, pinned, conversation.id),
        needsSignIn: () => needsSignIn,
        startSignIn: (ttlSeconds) => startSignIn(session.member, server, ttlSeconds),
        hasUnresolvedCall: () => ownUnresolved.length > 0,
      };
    });
  });
  return {
    tools: tools.slice(0, MAX_SERVER_TOOLS),
    note: toNote(earlier),
    close: async () => void (await Promise.all(sessions.map((session) => session.close()))),
  };
}
