import type { ChatCompletionRequest, ChatMessage } from "../../api/openai/openai.ts";
import type { InputItem } from "../../api/openai/response-items.ts";
import type { ResponseRequest } from "../../api/openai/responses.ts";
import { invalidField } from "../../lib/errors.ts";
import type { CompletionAnswer } from "../completions/completion.ts";
import { fieldOfReasoningItem, getReasoning, getReasoningField, type ReasoningField } from "./response-object.ts";
import { toChatName, toChatTools, toCustomArguments } from "./response-tools.ts";

type Content = Extract<InputItem, { output: unknown }>["output"];
type Part = Exclude<Content, string>[number];

/**
 * Converts a content part to a part of a chat message.
 * @throws ServiceError `validation_failed` for an uploaded file or the URL of a file
 */
function toPart(part: Part, path: string): Record<string, unknown> {
  if (part.type === "refusal") return { type: "refusal", refusal: part.refusal };
  if (part.type === "input_image" && part.image_url) {
    return { type: "image_url", image_url: { url: part.image_url, ...(part.detail && { detail: part.detail }) } };
  }
  if (part.type === "input_file" && part.file_data) {
    return { type: "file", file: { file_data: part.file_data, ...(part.filename && { filename: part.filename }) } };
  }
  if ("text" in part) return { type: "text", text: part.text };
  throw invalidField(
    path,
    "unsupported_parameter",
    "must contain its data: stored files and addresses of files are not supported",
  );
}

/** Joins a content to one text if all of its parts are text, because not every provider accepts lists. */
function toContent(content: Content, path: string): string | Record<string, unknown>[] {
  if (typeof content === "string") return content;
  const parts = content.map((part, index) => toPart(part, `${path}.${index}`));
  return parts.every(({ type }) => type === "text") ? parts.map(({ text }) => text).join("") : parts;
}

function toReasoningText({ content, summary }: Extract<InputItem, { type: "reasoning" }>): string {
  const parts = content?.length ? content : (summary ?? []);
  return parts.map(({ text }) => text ?? "").join("\n");
}

/**
 * Converts the input of a request to chat messages. Reasoning is only sent with the tool calls that follow it, because
 * providers reject it in other messages.
 */
export function toChatMessages(input: string | readonly InputItem[]): ChatMessage[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  const messages: Record<string, unknown>[] = [];
  let reasoning: Partial<Record<ReasoningField, string>> = {};
  for (const [position, item] of input.entries()) {
    const path = `input.${position}`;
    if (item.type === "reasoning") {
      const field = fieldOfReasoningItem(item.id);
      reasoning = field ? { [field]: toReasoningText(item) } : {};
    } else if (item.type === "message") {
      if (item.role !== "assistant") reasoning = {};
      messages.push({ role: item.role, content: toContent(item.content, `${path}.content`) });
    } else if (item.type === "function_call" || item.type === "custom_tool_call") {
      const name = toChatName(item.name, item.namespace);
      const json = item.type === "function_call" ? item.arguments : toCustomArguments(item.input);
      const call = { id: item.call_id, type: "function", function: { name, arguments: json } };
      const last = messages.at(-1);
      // Parallel tool calls belong to one assistant message, after the text that precedes them.
      const message = last?.role === "assistant" ? last : { role: "assistant", content: null };
      if (message !== last) messages.push(message);
      message.tool_calls ??= [];
      (message.tool_calls as object[]).push(call);
      Object.assign(message, reasoning);
      reasoning = {};
    } else if (item.type === "function_call_output" || item.type === "custom_tool_call_output") {
      messages.push({ role: "tool", tool_call_id: item.call_id, content: toContent(item.output, `${path}.output`) });
    }
  }
  return messages as unknown as ChatMessage[];
}

function toResponseFormat(
  format: NonNullable<ResponseRequest["text"]>["format"],
): ChatCompletionRequest["response_format"] {
  if (format?.type !== "json_schema") return format ?? undefined;
  const { type, ...json_schema } = format;
  return { type, json_schema };
}

/**
 * Converts a request of the responses API to a chat completion request.
 * @param history messages of the conversation that the request continues
 */
export function responseToChatRequest(
  request: ResponseRequest,
  history: readonly ChatMessage[],
): ChatCompletionRequest {
  const { model, instructions, text, reasoning, max_output_tokens } = request;
  const fields = {
    temperature: request.temperature,
    top_p: request.top_p,
    parallel_tool_calls: request.parallel_tool_calls,
    metadata: request.metadata,
    user: request.user,
    safety_identifier: request.safety_identifier,
    service_tier: request.service_tier,
    prompt_cache_key: request.prompt_cache_key,
    prompt_cache_retention: request.prompt_cache_retention,
    prompt_cache_options: request.prompt_cache_options,
    max_completion_tokens: max_output_tokens,
    reasoning_effort: reasoning?.effort,
    verbosity: text?.verbosity,
    response_format: toResponseFormat(text?.format),
    logprobs: request.include?.includes("message.output_text.logprobs") || Boolean(request.top_logprobs) || undefined,
    top_logprobs: request.top_logprobs || undefined,
    ...toChatTools(request),
  };
  return {
    model,
    stream: request.stream,
    messages: [
      ...(instructions ? [{ role: "system" as const, content: instructions }] : []),
      ...history,
      ...toChatMessages(request.input),
    ],
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)),
  } as ChatCompletionRequest;
}

/** Converts an answer to the assistant message with which it is stored in the conversation. */
export function toHistoryMessage({ choices }: CompletionAnswer): ChatMessage {
  const message = choices[0]?.message ?? {};
  const { content, refusal, tool_calls } = message;
  const reasoning = getReasoning(message);
  const hasCalls = Array.isArray(tool_calls) && tool_calls.length > 0;
  return {
    role: "assistant",
    content: (content ?? refusal ?? (hasCalls ? null : "")) as string | null,
    ...(hasCalls && { tool_calls }),
    ...(hasCalls && reasoning && { [getReasoningField(message)]: reasoning }),
  };
}
