import type { JSONValue, LanguageModelV4ToolCall, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import * as v from "valibot";
import { ServiceError } from "../../errors.ts";
import { log } from "../../log.ts";
import type { RunEvent } from "../events.ts";
import { thinkingStep } from "../thinking.ts";
import type { Turn } from "../turn.ts";
import type { Tool } from "./tool.ts";

/** A call of a tool, as the model made it: `input` is JSON. */
export type ToolCall = Pick<LanguageModelV4ToolCall, "toolCallId" | "toolName" | "input">;

type Output = LanguageModelV4ToolResultPart["output"];

/** Characters of an outcome that reach the model at most. */
const outcomeAtMost = 20_000;

const failure = (value: string): Output => ({ type: "error-text", value });

function success(result: unknown): Output {
  const text = JSON.stringify(result);
  return text.length > outcomeAtMost
    ? { type: "text", value: `${text.slice(0, outcomeAtMost)}… (cut off: ask for less at once)` }
    : { type: "json", value: result as JSONValue };
}

/** What the model is told of a call that failed: enough to do better, nothing of our insides. */
function failureOf(turn: Turn, name: string, error: unknown): Output {
  if (error instanceof ServiceError) return failure(error.message);
  if (error instanceof SyntaxError) return failure("The arguments are not JSON.");
  if (v.isValiError(error)) {
    const problems = error.issues.map((issue) => `${v.getDotPath(issue) ?? "arguments"}: ${issue.message}`);
    return failure(`The arguments do not fit: ${problems.join("; ")}`);
  }
  log.error("tool failed", { message_id: turn.run.message_id, tool: name, error });
  return failure("The tool is not available at the moment.");
}

/** Runs one call of the model's; whatever becomes of it, there is an outcome to tell the model. */
export async function* runTool(
  turn: Turn,
  tools: readonly Tool[],
  { toolCallId, toolName, input }: ToolCall,
): AsyncGenerator<RunEvent, LanguageModelV4ToolResultPart> {
  const part = (output: Output): LanguageModelV4ToolResultPart => ({
    type: "tool-result",
    toolCallId,
    toolName,
    output,
  });
  const tool = tools.find(({ name }) => name === toolName);
  if (!tool) return part(failure(`There is no tool ${toolName}.`));
  yield thinkingStep(turn, tool.title, input.slice(0, 200));
  try {
    const { result, events = [] } = await tool.run(turn, JSON.parse(input || "{}"));
    yield* events;
    return part(success(result));
  } catch (error) {
    turn.signal.throwIfAborted();
    return part(failureOf(turn, toolName, error));
  }
}
