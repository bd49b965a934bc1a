import type { JSONValue, LanguageModelV4ToolCall, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import * as v from "valibot";
import { ServiceError } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { truncate } from "../../lib/truncate.ts";
import type { RunEvent } from "../../runs/events.ts";
import { thinkingStep } from "../thinking.ts";
import type { Turn } from "../turn.ts";
import type { Tool } from "./tool.ts";

type Output = LanguageModelV4ToolResultPart["output"];

/** Characters of an outcome that reach the model at most. */
const outcomeAtMost = 20_000;

/** The outcome of a call that could not be done. */
export const failure = (value: string): Output => ({ type: "error-text", value });

function success(result: unknown): Output {
  const text = JSON.stringify(result);
  return text.length > outcomeAtMost
    ? { type: "text", value: `${truncate(text, outcomeAtMost)}… (cut off: ask for less at once)` }
    : { type: "json", value: result as JSONValue };
}

/** An outcome as the model is told of it. */
export function asResult(
  { toolCallId, toolName }: LanguageModelV4ToolCall,
  output: Output,
): LanguageModelV4ToolResultPart {
  return { type: "tool-result", toolCallId, toolName, output };
}

/** A tool, and what it is to be used with. */
export interface ToolUse {
  readonly tool: Tool;
  readonly input: unknown;
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input || "{}");
  } catch {
    return undefined;
  }
}

/** What a call of the model's wants; or what is wrong with it, in words for the model. */
export function prepared(
  tools: readonly Tool[],
  { toolName, input }: LanguageModelV4ToolCall,
): ToolUse | { readonly problem: string } {
  const tool = tools.find(({ name }) => name === toolName);
  if (!tool) return { problem: `There is no tool ${toolName}.` };
  const given = parsed(input);
  if (given === undefined) return { problem: "The arguments are not JSON." };
  const checked = v.safeParse(tool.input, given);
  if (checked.success) return { tool, input: checked.output };
  const problems = checked.issues.map((issue) => `${v.getDotPath(issue) ?? "arguments"}: ${issue.message}`);
  return { problem: `The arguments do not fit: ${problems.join("; ")}` };
}

/** Uses a tool; whatever becomes of it, there is an outcome to tell the model, and nothing of our insides in it. */
export async function* runTool(
  turn: Turn,
  { tool, input }: ToolUse,
  call: LanguageModelV4ToolCall,
): AsyncGenerator<RunEvent, LanguageModelV4ToolResultPart> {
  yield thinkingStep(turn, tool.title, truncate(call.input, 200));
  try {
    const { result, events = [] } = await tool.run(turn, input);
    yield* events;
    return asResult(call, success(result));
  } catch (error) {
    turn.signal.throwIfAborted();
    if (error instanceof ServiceError) return asResult(call, failure(error.message));
    log.error("tool failed", { message_id: turn.run.message_id, tool: tool.name, error });
    return asResult(call, failure("The tool is not available at the moment."));
  }
}
