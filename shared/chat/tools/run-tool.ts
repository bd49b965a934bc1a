import type { LanguageModelV4ToolCall, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import * as v from "valibot";
import { sanitizeUntrusted } from "../../guardrails/sanitize-untrusted.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { truncate } from "../../lib/truncate.ts";
import type { PendingCall, RunEvent, RunPayloads } from "../../runs/events.ts";
import type { AskedQuestions } from "../../tools/questions.ts";
import { quote } from "../context/quote.ts";
import { hasReadUntrusted, originsOfTool } from "../read-origins.ts";
import { thinkingStep } from "../thinking.ts";
import type { Turn } from "../turn.ts";
import { keepResult } from "./long-results.ts";
import { reportedWork } from "./merge-events.ts";
import type { DecidedCall, Tool, ToolOutcome } from "./tool.ts";

type Output = LanguageModelV4ToolResultPart["output"];

const MAX_RESULT_CHARACTERS = 20_000;

export const errorOutput = (value: string): Output => ({ type: "error-text", value });

/** Quotes a tool result for the prompt as untrusted text, and truncates it. The rest can be read with `read_result`. */
function resultOutput(turn: Turn, callId: string, result: unknown, maxCharacters = MAX_RESULT_CHARACTERS): Output {
  const clean = (_: string, value: unknown) => (typeof value === "string" ? sanitizeUntrusted(value) : value);
  // The result of a server's tool is JSON already, after its check.
  const text = typeof result === "string" ? result : JSON.stringify(result, clean);
  const value =
    text.length > maxCharacters
      ? `${truncate(text, maxCharacters)}… (truncated: ${keepResult(turn, callId, text, maxCharacters)})`
      : text;
  return { type: "text", value: quote("tool_result", {}, value) };
}

export function toToolResultPart(
  { toolCallId, toolName }: LanguageModelV4ToolCall,
  output: Output,
): LanguageModelV4ToolResultPart {
  return { type: "tool-result", toolCallId, toolName, output };
}

/** Tool call with validated input. */
export interface ToolUse {
  readonly tool: Tool;
  readonly input: unknown;
  readonly decided?: DecidedCall;
}

/** Returns true if a call changes data or sends data to another system. */
export const hasEffect = (turn: Turn, { tool, input }: ToolUse): boolean =>
  tool.hasEffectOf?.(turn, input) ?? tool.hasEffect;

/** Maximum depth of arguments. `JSON.stringify()` cannot write those of some thousand levels, which ended the run. */
const MAX_DEPTH = 100;

const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((each) => isDeeperThan(each, levels - 1)));

/** Returns the arguments of a call, or undefined if they are not JSON or nested too deeply. */
export function parseArguments({ input }: LanguageModelV4ToolCall): unknown {
  const parsed = parseJson(input || "{}");
  return isDeeperThan(parsed, MAX_DEPTH) ? undefined : parsed;
}

/**
 * Finds the tool of a call and validates its input.
 * @returns the tool and its input, or a `problem`: an error message for the model
 */
export function prepareToolUse(
  tools: readonly Tool[],
  call: LanguageModelV4ToolCall,
): ToolUse | { readonly problem: string } {
  const { toolName } = call;
  const tool = tools.find(({ name }) => name === toolName);
  if (!tool) return { problem: `There is no tool ${toolName}.` };
  const parsed = parseArguments(call);
  if (parsed === undefined) return { problem: "The arguments are not JSON, or nested too deeply." };
  const result = v.safeParse(tool.input, parsed);
  if (result.success) return { tool, input: result.output };
  const problems = result.issues.map((issue) => `${v.getDotPath(issue) ?? "arguments"}: ${issue.message}`);
  return { problem: `The arguments are invalid: ${problems.join("; ")}` };
}

export interface RunResult {
  readonly part: LanguageModelV4ToolResultPart;
  readonly isFailed: boolean;
  /** Questions to the user that the tool asked instead of returning a result. */
  readonly question?: AskedQuestions & { readonly use: ToolUse; readonly call: LanguageModelV4ToolCall };
}

/** Maximum length in characters of a result in the event `tool_call`, which clients show. */
const MAX_SHOWN_CHARACTERS = 2_000;

/** Maximum number of progress messages per call that are shown, and the maximum length of each in characters. */
const MAX_PROGRESS_MESSAGES = 20;
const MAX_PROGRESS_CHARACTERS = 200;

/** Executes a tool and emits the progress that it reports as visible steps. */
async function* runWithProgress(turn: Turn, { tool, input, decided }: ToolUse): AsyncGenerator<RunEvent, ToolOutcome> {
  let count = 0;
  const work = reportedWork<RunEvent, ToolOutcome>((report) =>
    tool.run(
      turn,
      input,
      hasReadUntrusted(turn),
      (message) => {
        if (count++ >= MAX_PROGRESS_MESSAGES || message === "") return;
        report(thinkingStep(turn, tool.title, truncate(sanitizeUntrusted(message), MAX_PROGRESS_CHARACTERS)));
      },
      decided,
    ),
  );
  return yield* work;
}

/** Returns a call as events show it. */
export const toPendingCall = ({ tool }: ToolUse, { toolCallId, input }: LanguageModelV4ToolCall): PendingCall => ({
  call_id: toolCallId,
  name: tool.name,
  title: tool.title,
  input: truncate(input, 2_000),
});

/** Returns the event about the state of a call; none for built-in tools. */
function toolCallEvent(
  use: ToolUse,
  call: LanguageModelV4ToolCall,
  state: Pick<RunPayloads["tool_call"], "status" | "duration_ms" | "result">,
): RunEvent[] {
  const { pinned } = use.tool;
  if (!pinned) return [];
  const { call_id, ...shown } = toPendingCall(use, call);
  return [{ type: "tool_call", data: { call_id, server_id: pinned.server_id, ...shown, ...state } }];
}

/** Emits and records that a call is not executed, because a person did not agree to it. */
export function declineTool(
  turn: Turn,
  use: ReturnType<typeof prepareToolUse>,
  call: LanguageModelV4ToolCall,
): RunEvent[] {
  if ("problem" in use) return [];
  if (use.tool.pinned) turn.record.toolCalls.push({ name: use.tool.name, status: "declined", duration_ms: 0 });
  return toolCallEvent(use, call, { status: "declined", duration_ms: null });
}

/** Executes a tool call. If it fails, the result is an error message for the model without internal details. */
export async function* runTool(
  turn: Turn,
  use: ToolUse,
  call: LanguageModelV4ToolCall,
): AsyncGenerator<RunEvent, RunResult> {
  const { tool } = use;
  const startedAtMs = now();
  const step = thinkingStep(turn, tool.title, truncate(call.input, 200));
  yield use.decided && !tool.pinned ? { ...step, call: toPendingCall(use, call) } : step;
  yield* toolCallEvent(use, call, { status: "running", duration_ms: null });
  const finish = (status: RunPayloads["tool_call"]["status"], output?: unknown) => {
    const duration_ms = now() - startedAtMs;
    if (tool.pinned) turn.record.toolCalls.push({ name: tool.name, status, duration_ms });
    turn.record.operations.push({
      operation: "execute_tool",
      name: tool.name,
      call_id: call.toolCallId,
      started_at: timestamp(startedAtMs),
      duration_ms,
      ...(status !== "done" && { error: status }),
    });
    const text = typeof output === "string" ? output : output === undefined ? undefined : JSON.stringify(output);
    const result = text === undefined ? {} : { result: truncate(sanitizeUntrusted(text), MAX_SHOWN_CHARACTERS) };
    return toolCallEvent(use, call, { status, duration_ms, ...result });
  };
  try {
    const outcome = yield* runWithProgress(turn, use);
    const { result, events = [], isFailed = false, isOutcomeUnknown = false, question } = outcome;
    yield* events;
    if (question) {
      const part = toToolResultPart(call, errorOutput("The tool asks a question, which cannot be answered."));
      return { part, isFailed: true, ...(turn.principal.kind === "user" && { question: { ...question, use, call } }) };
    }
    yield* finish(isOutcomeUnknown ? "unknown" : isFailed ? "failed" : "done", result);
    turn.answer.addedOrigins.push(...originsOfTool(tool));
    const output = resultOutput(turn, call.toolCallId, result, tool.maxResultCharacters);
    return { part: toToolResultPart(call, output), isFailed };
  } catch (error) {
    turn.signal.throwIfAborted();
    yield* finish("failed");
    if (error instanceof ServiceError)
      return { part: toToolResultPart(call, errorOutput(error.message)), isFailed: true };
    log.error("tool failed", { message_id: turn.run.message_id, tool: tool.name, error });
    return { part: toToolResultPart(call, errorOutput("The tool is temporarily unavailable.")), isFailed: true };
  }
}
