import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4ToolChoice,
} from "@ai-sdk/provider";
import type { ChatCompletionRequest, ChatMessage } from "../api/openai/openai.ts";
import { invalidField, type ServiceError } from "../lib/errors.ts";
import type { UnknownFields } from "../models/model-settings.ts";
import { type ContentPart, plainText } from "./content-parts.ts";
import { selectFields } from "./request-fields.ts";

/** Parses JSON that a model generated; invalid JSON is returned as text. */
function parseArguments(json: string): unknown {
  try {
    return JSON.parse(json || "{}");
  } catch {
    return json;
  }
}

const unsupported = (path: string, message: string): ServiceError =>
  invalidField(path, "unsupported_parameter", message);

/**
 * Converts a data URL to a file part.
 * @throws ServiceError `validation_failed` for other URLs, which the provider would have to fetch
 */
function toFile(url: string, path: string, filename?: string): LanguageModelV4FilePart {
  const [, mediaType, data] = /^data:([\w.+-]+\/[\w.+-]+);base64,(.*)$/s.exec(url) ?? [];
  if (!mediaType || data === undefined) throw unsupported(path, "must be a base64 data URL for this model");
  return { type: "file", mediaType, data: { type: "data", data }, ...(filename && { filename }) };
}

function toUserPart(part: ContentPart, path: string): LanguageModelV4FilePart | { type: "text"; text: string } {
  switch (part.type) {
    case "image_url":
      return toFile(part.image_url.url, `${path}.image_url.url`);
    case "input_audio":
      return {
        type: "file",
        mediaType: `audio/${part.input_audio.format}`,
        data: { type: "data", data: part.input_audio.data },
      };
    case "file": {
      const { file_data, filename } = part.file;
      return toFile(String(file_data ?? ""), `${path}.file.file_data`, filename ? String(filename) : undefined);
    }
    default:
      return { type: "text", text: plainText([part] as never) };
  }
}

type ToolCall = NonNullable<Extract<ChatMessage, { role: "assistant" }>["tool_calls"]>[number];

const toModelCall = (call: ToolCall) =>
  call.type === "custom"
    ? { id: call.id, name: call.custom.name, input: { input: call.custom.input } }
    : { id: call.id, name: call.function.name, input: parseArguments(call.function.arguments) };

/**
 * Derives the id of a call in the deprecated `function_call` field from the function's name, by which the result refers
 * to the call.
 */
const legacyCallId = (name: string) => `call_${name}`;

const toToolResult = (toolCallId: string, toolName: string, value: string): LanguageModelV4Message => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value } }],
});

function toPromptMessage(
  message: ChatMessage,
  position: number,
  toolNames: Map<string, string>,
): LanguageModelV4Message {
  switch (message.role) {
    case "user": {
      const { content } = message;
      const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
      return {
        role: "user",
        content: parts.map((part, index) => toUserPart(part, `messages.${position}.content.${index}`)),
      };
    }
    case "assistant": {
      const text = plainText(message.content) || (message.refusal ?? "");
      const { function_call: legacy } = message;
      const calls = [
        ...(message.tool_calls ?? []).map(toModelCall),
        ...(legacy
          ? [{ id: legacyCallId(legacy.name), name: legacy.name, input: parseArguments(legacy.arguments) }]
          : []),
      ];
      for (const { id, name } of calls) toolNames.set(id, name);
      return {
        role: "assistant",
        content: [
          ...(text ? [{ type: "text" as const, text }] : []),
          ...calls.map(({ id: toolCallId, name: toolName, input }) => ({
            type: "tool-call" as const,
            toolCallId,
            toolName,
            input,
          })),
        ],
      };
    }
    case "tool": {
      const toolName = toolNames.get(message.tool_call_id);
      if (toolName === undefined) throw unknownToolCall(position);
      return toToolResult(message.tool_call_id, toolName, plainText(message.content));
    }
    case "function":
      return toToolResult(legacyCallId(message.name), message.name, message.content ?? "");
    default:
      return { role: "system", content: plainText(message.content) };
  }
}

const unknownToolCall = (position: number) =>
  invalidField(
    `messages.${position}.tool_call_id`,
    "invalid_value",
    "must be the id of a tool call in an earlier assistant message",
  );

/** Requires that each tool result refers to a tool call in an earlier message. @throws ServiceError `validation_failed` */
export function requireToolCalls(messages: readonly ChatMessage[]): void {
  const ids = new Set<string>();
  for (const [position, message] of messages.entries()) {
    if (message.role === "assistant") for (const { id } of message.tool_calls ?? []) ids.add(id);
    if (message.role === "tool" && !ids.has(message.tool_call_id)) throw unknownToolCall(position);
  }
}

function toToolChoice(choice: ChatCompletionRequest["tool_choice"]): LanguageModelV4ToolChoice | undefined {
  if (!choice) return undefined;
  if (typeof choice === "string") return { type: choice };
  if (choice.type !== "function") throw unsupported("tool_choice", "is not supported with this model");
  return { type: "tool", toolName: (choice as { function: { name: string } }).function.name };
}

function toResponseFormat(
  format: ChatCompletionRequest["response_format"],
): LanguageModelV4CallOptions["responseFormat"] {
  if (!format || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json" };
  const { name, description, schema } = format.json_schema;
  return { type: "json", name, description: description ?? undefined, schema: schema ?? undefined };
}

function toFunctionTool(
  tool: NonNullable<ChatCompletionRequest["tools"]>[number],
  index: number,
): LanguageModelV4FunctionTool {
  if (tool.type !== "function") throw unsupported(`tools.${index}.type`, "must be function for this model");
  const { name, description, parameters, strict } = tool.function;
  return {
    type: "function",
    name,
    description: description ?? undefined,
    inputSchema: parameters ?? { type: "object", properties: {} },
    ...(strict && { strict }),
  };
}

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

function toReasoning(effort: string | null | undefined): LanguageModelV4CallOptions["reasoning"] {
  if (!effort) return undefined;
  const known = efforts.find((name) => name === effort);
  if (!known) throw unsupported("reasoning_effort", `must be one of ${efforts.join(", ")}`);
  return known;
}

/**
 * Converts a chat completion request to the call options of the AI SDK's providers.
 * @param instructions system message that precedes the caller's messages
 * @param unknown handling of fields that `requestFields` does not list; `pass` refuses them like `refuse`, because the
 * AI SDK cannot forward them
 * @throws ServiceError `validation_failed` for a field that the AI SDK's providers do not support, or a tool result
 * without a call
 */
export function toCallOptions(
  request: ChatCompletionRequest,
  instructions: string,
  unknown?: UnknownFields,
): LanguageModelV4CallOptions {
  selectFields(request, "adapted", unknown);
  const toolNames = new Map<string, string>();
  const messages = request.messages.map((message, position) => toPromptMessage(message, position, toolNames));
  return {
    prompt: [...(instructions ? [{ role: "system" as const, content: instructions }] : []), ...messages],
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
    topP: request.top_p ?? undefined,
    topK: typeof request.top_k === "number" && request.top_k > 0 ? request.top_k : undefined,
    frequencyPenalty: request.frequency_penalty ?? undefined,
    presencePenalty: request.presence_penalty ?? undefined,
    stopSequences: typeof request.stop === "string" ? [request.stop] : (request.stop ?? undefined),
    seed: request.seed ?? undefined,
    reasoning: toReasoning(request.reasoning_effort),
    tools: request.tools?.length ? request.tools.map(toFunctionTool) : undefined,
    toolChoice: toToolChoice(request.tool_choice),
    responseFormat: toResponseFormat(request.response_format),
  };
}
