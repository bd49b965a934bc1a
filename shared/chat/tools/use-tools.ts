import type { LanguageModelV4ToolCall, LanguageModelV4ToolCallPart } from "@ai-sdk/provider";
import { forgetAnswers, recordResult } from "../../governance/approvals/approval-result.ts";
import { ServiceError } from "../../lib/errors.ts";
import { truncate } from "../../lib/truncate.ts";
import type { RunEvent } from "../../runs/events.ts";
import { type Consent, handOverBefore, pauseForApproval, pauseForQuestions } from "../pause-turn.ts";
import { hasReadUntrusted, originOfServer, readOrigins } from "../read-origins.ts";
import type { PendingToolCalls, ToolDecision, Turn } from "../turn.ts";
import { mergeEvents } from "./merge-events.ts";
import {
  declineTool,
  errorOutput,
  hasEffect,
  parseArguments,
  prepareToolUse,
  type RunResult,
  runTool,
  type ToolUse,
  toPendingCall,
  toToolResultPart,
} from "./run-tool.ts";
import type { Tool } from "./tool.ts";

/** Maximum number of tool calls that are executed per model response. Further calls are dropped. */
const MAX_CALLS_PER_RESPONSE = 5;

export function toPendingToolCalls(text: string, calls: readonly LanguageModelV4ToolCall[]): PendingToolCalls {
  return { text, calls: calls.slice(0, MAX_CALLS_PER_RESPONSE), results: [] };
}

/** Returns the prompt part that repeats a tool call. Arguments that the result of the call refuses become an empty object. */
function toCallPart(call: LanguageModelV4ToolCall): LanguageModelV4ToolCallPart {
  const { toolCallId, toolName } = call;
  return { type: "tool-call", toolCallId, toolName, input: parseArguments(call) ?? {} };
}

/** Maximum length in characters of the error message that is stored with an approval. */
const MAX_FAILURE_CHARACTERS = 2_000;

const changedDefinition =
  "The definition of this tool has changed since the approval was requested, so the call was not executed.";

const noApprover =
  "The call was not executed: a person of the organization would have to approve it, which visitors of a website cannot request.";

const refusals: Readonly<Record<Exclude<ToolDecision["status"], "approved">, string>> = {
  denied: "The approver denied this tool call.",
  cancelled: "The user canceled this tool call.",
  expired: "This tool call was not approved in time.",
};

/** Returns the result of a call that was not executed, with the reason for the model. */
const refused = (call: LanguageModelV4ToolCall, message: string): RunResult => ({
  part: toToolResultPart(call, errorOutput(message)),
  isFailed: true,
});

/**
 * Executes a call if it was approved or the user has answered its questions, and stores the outcome with the approval.
 */
async function* executeDecidedCall(
  turn: Turn,
  tools: readonly Tool[],
  call: LanguageModelV4ToolCall,
  decision: ToolDecision,
): AsyncGenerator<RunEvent, RunResult> {
  const { approval_id, status, params, note, definition_hash, answers } = decision;
  if (status !== "approved" && !answers) {
    const refusal = refusals[status];
    yield* declineTool(turn, prepareToolUse(tools, call), call);
    return refused(call, note ? `${refusal} Note: ${note}` : refusal);
  }
  if (answers) await forgetAnswers(turn.principal, approval_id);
  const editedCall = { ...call, input: JSON.stringify(params) };
  const use = prepareToolUse(tools, editedCall);
  const { questionState } = turn.answer.pendingToolCalls ?? {};
  const resumption = answers && {
    inputResponses: answers,
    ...(typeof questionState === "string" && { requestState: questionState }),
  };
  const decided = { approvalId: status === "approved" ? approval_id : null, ...(resumption && { resumption }) };
  let result: RunResult;
  if ("problem" in use) result = refused(call, use.problem);
  else if (use.tool.pinned?.definition_hash !== definition_hash) result = refused(call, changedDefinition);
  else result = yield* runTool(turn, { ...use, decided }, editedCall);
  if (result.question || status !== "approved") return result;
  const { output } = result.part;
  const message = "value" in output ? truncate(String(output.value), MAX_FAILURE_CHARACTERS) : "";
  await recordResult(turn.principal, approval_id, result.isFailed ? { status: "failed", message } : { status: "done" });
  return result;
}

/** Returns true if the model may have read untrusted text that the tool's own server did not return. */
const hasReadOthers = (turn: Turn, { pinned }: Tool): boolean =>
  readOrigins(turn).some((origin) => !pinned || origin !== originOfServer(pinned));

/**
 * Returns the consent that a tool call needs, or null if it needs none. Of several reasons for consent, the first one
 * below applies. A remembered consent covers what the tool's own server returned, but no other text.
 */
function findConsent(turn: Turn, use: ToolUse): Consent | null {
  const { tool } = use;
  if (tool.isInternal || tool.isRefused?.(use.input)) return null;
  if (tool.needsSignIn?.()) return { decider: "requester", reason: "sign_in" };
  if (turn.requiresApproval || tool.mode === "approve") return { decider: "approver", reason: "policy" };
  if (tool.hasUnresolvedCall?.()) return { decider: "requester", reason: "unresolved" };
  const isForeign = hasReadOthers(turn, tool);
  const remember = isForeign ? undefined : tool.remember;
  if (tool.mode === "confirm" && !tool.isConsented) return { decider: "requester", reason: "policy", remember };
  const isUntrusted = tool.isConsented ? isForeign : hasReadUntrusted(turn);
  return isUntrusted && hasEffect(turn, use) ? { decider: "requester", reason: "untrusted", remember } : null;
}

/** Returns the error with which a scheduled run ends, because no person can give a consent. */
function refuseUnattended({ answer }: Turn, { tool }: ToolUse): ServiceError {
  // The answer would count as interrupted with a text, and the reason would be lost.
  answer.text = "";
  const help = "Allow it for later calls in a conversation, or let the schedule do without it.";
  return new ServiceError("approval_required", `The tool ${tool.title} needs a confirmation. ${help}`);
}

/**
 * Executes one call.
 * @throws RunPaused if the call needs consent
 */
async function* executeCall(
  turn: Turn,
  tools: readonly Tool[],
  call: LanguageModelV4ToolCall,
): AsyncGenerator<RunEvent, RunResult> {
  const { toolDecision } = turn.answer;
  turn.answer.toolDecision = null;
  // After a sign-in, the call still needs its own consent.
  const isSignedIn = toolDecision?.isSignIn && toolDecision.status === "approved";
  if (toolDecision && !isSignedIn) return yield* executeDecidedCall(turn, tools, call, toolDecision);
  const use = prepareToolUse(tools, call);
  if ("problem" in use) return refused(call, use.problem);
  const consent = findConsent(turn, use);
  // Visitors are asked about the tools that the key of the website names.
  const isAskable = turn.principal.kind === "user" || (consent?.decider === "requester" && use.tool.pinned);
  if (consent && !isAskable) return refused(call, noApprover);
  if (consent && turn.run.schedule_run) throw refuseUnattended(turn, use);
  if (consent) yield* pauseForApproval(turn, use, toPendingCall(use, call), consent);
  return yield* runTool(turn, use, call);
}

/**
 * Returns the first calls that may run concurrently: up to the first that needs consent, is invalid, or is not
 * parallel.
 */
function takeConcurrent(turn: Turn, tools: readonly Tool[], calls: readonly LanguageModelV4ToolCall[]) {
  const uses: { readonly call: LanguageModelV4ToolCall; readonly use: ToolUse }[] = [];
  if (turn.answer.toolDecision) return uses;
  for (const call of calls) {
    const use = prepareToolUse(tools, call);
    if ("problem" in use || !use.tool.isParallel || findConsent(turn, use) !== null) break;
    uses.push({ call, use });
  }
  return uses;
}

/**
 * Executes the model's tool calls, those of MCP servers concurrently, and appends calls and results to the prompt.
 * @throws RunPaused if a call needs consent, an answer, or more time than the function has left
 */
export async function* useTools(
  turn: Turn,
  tools: readonly Tool[],
  pending: PendingToolCalls,
): AsyncGenerator<RunEvent, void> {
  const { text, results } = pending;
  let { calls } = pending;
  while (results.length < calls.length) {
    const remaining = calls.slice(results.length);
    const concurrent = takeConcurrent(turn, tools, remaining);
    yield* handOverBefore(turn, Math.max(0, ...concurrent.map(({ use }) => use.tool.timeoutMs ?? 0)));
    const runs =
      concurrent.length > 1
        ? concurrent.map(({ call, use }) => runTool(turn, use, call))
        : [executeCall(turn, tools, remaining[0] as LanguageModelV4ToolCall)];
    const ended = yield* mergeEvents(runs);
    const batch = ended.map((result, index) => ({ ...result, call: remaining[index] as LanguageModelV4ToolCall }));
    const done = batch.filter(({ question }) => !question);
    const asked = batch.flatMap(({ question }) => question ?? []);
    // Calls with a result come first, so that they are not repeated after the questions of another one.
    const order = [...done.map(({ call }) => call), ...asked.map(({ call }) => call), ...remaining.slice(ended.length)];
    calls = [...calls.slice(0, results.length), ...order];
    results.push(...done.map(({ part }) => part));
    const [question] = asked;
    turn.answer.pendingToolCalls = { text, calls, results, questionState: question?.state };
    if (question) yield* pauseForQuestions(turn, question.use, question.questions);
  }
  turn.answer.prompt.push(
    { role: "assistant", content: [...(text ? [{ type: "text", text } as const] : []), ...calls.map(toCallPart)] },
    { role: "tool", content: results },
  );
  turn.answer.pendingToolCalls = null;
}
