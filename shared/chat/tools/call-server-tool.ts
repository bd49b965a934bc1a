import type { ServerTool } from "../../api/tools/tool-server.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import { truncate } from "../../lib/truncate.ts";
import { endToolCall, type StoredToolCall, storeToolCall } from "../../tools/call-store.ts";
import { readQuestions } from "../../tools/questions.ts";
import type { CallOptions, ServerSession } from "../../tools/server-session.ts";
import { toToolResult } from "../../tools/tool-result.ts";
import { ToolServerError } from "../../tools/tool-server-error.ts";
import { checkToolText, worstResult } from "../guardrail-checks.ts";
import type { Turn } from "../turn.ts";
import type { ToolOutcome } from "./tool.ts";

/** Maximum length in characters of the arguments in the record of a call. */
const MAX_INPUT_CHARACTERS = 4_000;

const unknownOutcome =
  "It is not known whether the call took effect. Do not repeat it: tell the user what happened, and ask before another attempt.";

export interface ServerToolCall {
  readonly session: ServerSession;
  readonly definition: ServerTool;
  readonly input: unknown;
  /**
   * Earlier calls of the tool with an unknown outcome. The user has agreed to this call nevertheless, so they are
   * marked as acknowledged.
   */
  readonly unresolved: readonly StoredToolCall[];
  readonly options: CallOptions;
}

/**
 * Calls a tool of an MCP server. A record is stored before the request and updated after it, so that the next turn
 * finds a call whose function stopped before the outcome was known.
 */
export async function callServerTool(
  turn: Turn,
  { session, definition, input, unresolved, options }: ServerToolCall,
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
    const result = await session.call(definition, input, options);
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
