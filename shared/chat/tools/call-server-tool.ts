import type { ServerTool } from "../../api/tools/tool-server.ts";
import { findKeyIdOf, serviceIdOf } from "../../auth/principal.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import { truncate } from "../../lib/truncate.ts";
import { listGroupsOfUser } from "../../tenancy/group-store.ts";
import { endToolCall, type StoredToolCall, storeToolCall } from "../../tools/call-store.ts";
import type { Caller } from "../../tools/caller-context.ts";
import { readQuestions } from "../../tools/questions.ts";
import type { CallOptions, ServerSession } from "../../tools/server-session.ts";
import type { StoredToolServer } from "../../tools/server-store.ts";
import { toToolResult } from "../../tools/tool-result.ts";
import { ToolServerError } from "../../tools/tool-server-error.ts";
import { checkToolText, worstResult } from "../guardrail-checks.ts";
import type { Turn } from "../turn.ts";
import type { ToolOutcome } from "./tool.ts";

/** Maximum length in characters of the arguments in the record of a call. */
const MAX_INPUT_CHARACTERS = 4_000;

const unknownOutcome =
  "It is not known whether the call took effect. Do not repeat it: tell the user what happened, and ask before another attempt.";

interface ServerToolCall {
  readonly session: ServerSession;
  readonly definition: ServerTool;
  readonly input: unknown;
  /**
   * Earlier calls of the tool with an unknown outcome. The user has agreed to this call nevertheless, so they are
   * marked as acknowledged.
   */
  readonly unresolved: readonly StoredToolCall[];
  readonly approvalId: string | null;
  readonly options: Omit<CallOptions, "caller">;
}

/** Returns the caller of a tool. Groups are read only for a server that gets a signed context. */
async function toCaller(
  { principal, run }: Turn,
  { caller_context }: StoredToolServer,
  call: Pick<Caller, "call_id" | "approval_id">,
): Promise<Caller> {
  const { userId } = principal;
  const isPerson = principal.kind === "user" && findKeyIdOf(userId) === undefined;
  const groups = isPerson && caller_context !== null ? await listGroupsOfUser(principal, userId) : [];
  // A page can claim any id for its visitor, and the id of the visitor follows from it.
  const isClaimed = principal.kind === "visitor" && principal.signed === null;
  return {
    sub: isClaimed ? `~${run.conversation_id}` : userId,
    kind: principal.kind === "visitor" ? "visitor" : isPerson ? "user" : "key",
    act: principal.kind === "user" && isPerson && principal.apiKey ? { sub: serviceIdOf(principal.apiKey.id) } : null,
    email: (principal.kind === "user" ? principal.email : principal.signed?.email) ?? null,
    form: principal.kind === "visitor" ? principal.form : null,
    visitor_sub: principal.kind === "visitor" ? (principal.signed?.sub ?? null) : null,
    groups: groups.map(({ name }) => name),
    // A request of a program has no conversation, but its id in this place.
    conversation_id: run.conversation_id === run.message_id ? null : run.conversation_id,
    persona_id: run.persona_id,
    run_id: run.message_id,
    ...call,
  };
}

/**
 * Calls a tool of an MCP server. A record is stored before the request and updated after it, so that the next turn
 * finds a call whose function stopped before the outcome was known.
 */
export async function callServerTool(
  turn: Turn,
  { session, definition, input, unresolved, approvalId, options }: ServerToolCall,
): Promise<ToolOutcome> {
  const { principal, run, guardrails } = turn;
  const startedAtMs = now();
  const call: StoredToolCall = {
    id: newId(),
    message_id: run.message_id,
    conversation_id: run.conversation_id,
    user_id: principal.userId,
    server_id: session.server.id,
    server_name: session.server.name,
    tool: definition.name,
    definition_hash: definition.hash,
    input: truncate(JSON.stringify(input), MAX_INPUT_CHARACTERS),
    status: "started",
    started_at: timestamp(startedAtMs),
    duration_ms: null,
  };
  await storeToolCall(principal, call);
  for (const earlier of unresolved) await endToolCall(principal, earlier, { status: "acknowledged" });
  const end = (status: StoredToolCall["status"]) =>
    endToolCall(principal, call, { status, duration_ms: now() - startedAtMs });
  try {
    const caller = await toCaller(turn, session.server, { call_id: call.id, approval_id: approvalId });
    const result = await session.call(definition, input, { ...options, caller });
    if (result.resultType === "input_required") {
      const question = readQuestions(session.server.name, result);
      await end("asked");
      return { result: null, question };
    }
    const { text, verdicts } = await checkToolText(JSON.stringify(toToolResult(result)), guardrails);
    await end(result.isError ? "failed" : "done");
    return { result: text, isFailed: result.isError, events: worstResult(turn.record, "retrieval", verdicts) };
  } catch (error) {
    const isUnknown = !(error instanceof ToolServerError) || error.isOutcomeUnknown;
    await end(isUnknown ? "unknown" : "failed");
    if (!(error instanceof ToolServerError)) throw error;
    const message = isUnknown ? `${error.message} ${unknownOutcome}` : error.message;
    return { result: { error: message }, isFailed: true, isOutcomeUnknown: isUnknown };
  }
}
