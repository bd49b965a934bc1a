import type { JSONValue, LanguageModelV4ToolCall, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import * as v from "valibot";
import { sanitizeUntrusted } from "../../guardrails/sanitize-untrusted.ts";
import { ServiceError } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { truncate } from "../../lib/truncate.ts";
import type { RunEvent } from "../../runs/events.ts";
import { hasReadUntrusted } from "../has-read-untrusted.ts";
import { quote } from "../prompt.ts";
import { thinkingStep } from "../thinking.ts";
import type { Turn } from "../turn.ts";
import type { Tool } from "./tool.ts";

type Output = LanguageModelV4ToolResultPart["output"];

/** Maximum length of a tool result in a prompt. */
const MAX_RESULT_CHARACTERS = 20_000;

/** Creates the output of a failed tool call. */
export const errorOutput = (value: string): Output => ({ type: "error-text", value });

/** Quotes a result as untrusted text, because it may contain text of documents, notes and other systems. */
function resultOutput(result: unknown): Output {
  const clean = (_: string, value: unknown) => (typeof value === "string" ? sanitizeUntrusted(value) : value);
  const text = JSON.stringify(result, clean);
  const value =
    text.length > MAX_RESULT_CHARACTERS
      ? `${truncate(text, MAX_RESULT_CHARACTERS)}… (truncated: request less at once)`
      : text;
  return { type: "text", value: quote("tool_result", {}, value) };
}

/** Creates the prompt part that reports an output to the model. */
export function toToolResult(
  { toolCallId, toolName }: LanguageModelV4ToolCall,
  output: Output,
): LanguageModelV4ToolResultPart {
  return { type: "tool-result", toolCallId, toolName, output };
}

/** Tool and its validated input. */
export interface ToolUse {
  readonly tool: Tool;
  readonly input: unknown;
}

function parseInput(input: string): unknown {
  try {
    return JSON.parse(input || "{}");
  } catch {
    return undefined;
  }
}

/**
 * Resolves the tool of a call and validates its input.
 * @returns the tool and its input, or a `problem`: an error message for the model
 */
export function prepareToolUse(
  tools: readonly Tool[],
  { toolName, input }: LanguageModelV4ToolCall,
): ToolUse | { readonly problem: string } {
  const tool = tools.find(({ name }) => name === toolName);
  if (!tool) return { problem: `There is no tool ${toolName}.` };
  const parsed = parseInput(input);
  if (parsed === undefined) return { problem: "The arguments are not JSON." };
  const result = v.safeParse(tool.input, parsed);
  if (result.success) return { tool, input: result.output };
  const problems = result.issues.map((issue) => `${v.getDotPath(issue) ?? "arguments"}: ${issue.message}`);
  return { problem: `The arguments are invalid: ${problems.join("; ")}` };
}

/** Executes a tool call. If it fails, the result is an error message for the model without internal details. */
export async function* runTool(
  turn: Turn,
  { tool, input }: ToolUse,
  call: LanguageModelV4ToolCall,
): AsyncGenerator<RunEvent, LanguageModelV4ToolResultPart> {
  yield thinkingStep(turn, tool.title, truncate(call.input, 200));
  try {
    const { result, events = [] } = await tool.run(turn, input, hasReadUntrusted(turn));
    yield* events;
    // The built-in model does not read prompts, so it gets the result itself.
    const providerOptions = { builtin: { result: result as JSONValue } };
    return { ...toToolResult(call, resultOutput(result)), providerOptions };
  } catch (error) {
    turn.signal.throwIfAborted();
    if (error instanceof ServiceError) return toToolResult(call, errorOutput(error.message));
    log.error("tool failed", { message_id: turn.run.message_id, tool: tool.name, error });
    return toToolResult(call, errorOutput("The tool is temporarily unavailable."));
  }
}
