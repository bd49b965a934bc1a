import { isJsonObject } from "../../lib/parse-json.ts";
import type { ChatChunk } from "../chat-chunk.ts";
import { ThinkingSplitter } from "./thinking-splitter.ts";

type Fields = Readonly<Record<string, unknown>>;

const toText = (value: unknown) => (typeof value === "string" ? value : undefined);

/** Returns the fields of an object whose values are numbers, and those of the objects in it. */
function toCounts(value: unknown): Fields | undefined {
  if (!isJsonObject(value)) return undefined;
  const counts = Object.entries(value).map(
    ([name, count]) => [name, isJsonObject(count) ? toCounts(count) : count] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => typeof count === "number" || isJsonObject(count)));
}

/** Returns the part of a tool call that a delta adds. Some servers send arguments as an object, and no index. */
function toCall(call: Fields, position: number) {
  const { name, arguments: input } = isJsonObject(call.function) ? call.function : ({} as Fields);
  const index = Number(call.index ?? position);
  return {
    index: Number.isInteger(index) ? index : position,
    id: toText(call.id),
    function: { name: toText(name), arguments: isJsonObject(input) ? JSON.stringify(input) : toText(input) },
    ...(isJsonObject(call.extra_content) && { extra_content: call.extra_content }),
  };
}

/** Returns the texts of a delta. Mistral sends content as a list of parts. */
function toTexts({ content, refusal, reasoning_content, reasoning }: Fields) {
  const parts = Array.isArray(content)
    ? content.filter((part) => isJsonObject(part) && typeof part.type === "string")
    : null;
  return {
    content: parts ?? toText(content),
    refusal: toText(refusal),
    reasoning_content: toText(reasoning_content) || toText(reasoning) || "",
  };
}

const toCalls = ({ tool_calls }: Fields) =>
  Array.isArray(tool_calls) ? tool_calls.filter(isJsonObject).map(toCall) : [];

/**
 * Yields the parts of chunks that the AI SDK's adapter reads, with the types that its schema demands: one chunk that does not
 * fit would end the answer. An answer that ends with `[DONE]` alone gets the finish reason `stop`.
 * @param hasReasoningTags whether an answer can begin with reasoning between tags such as `<think>`
 */
export async function* wellFormedChunks(
  chunks: AsyncIterable<ChatChunk>,
  hasReasoningTags: boolean,
): AsyncGenerator<object, void> {
  const splitter = new ThinkingSplitter();
  if (!hasReasoningTags) splitter.disable();
  let isFinished = false;
  for await (const { choices, usage: reportedUsage } of chunks) {
    const usage = toCounts(reportedUsage);
    const [choice] = choices;
    if (!choice) {
      if (usage) yield { choices: [], usage };
      continue;
    }
    const delta = toTexts(choice.delta);
    const tool_calls = toCalls(choice.delta);
    const finish_reason = toText(choice.finish_reason) || undefined;
    isFinished ||= finish_reason !== undefined;
    if (delta.reasoning_content) splitter.disable();
    const isTextComplete = isFinished || tool_calls.length > 0;
    if (typeof delta.content === "string" || (delta.content === undefined && isTextComplete)) {
      const { text, reasoning } = splitter.push(delta.content ?? "", isTextComplete);
      delta.content = text;
      delta.reasoning_content += reasoning;
    }
    yield { choices: [{ delta: { ...delta, ...(tool_calls.length > 0 && { tool_calls }) }, finish_reason }], usage };
  }
  if (isFinished) return;
  const { text: content, reasoning: reasoning_content } = splitter.push("", true);
  yield { choices: [{ delta: { content, reasoning_content }, finish_reason: "stop" }] };
}
