import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ChatMessage } from "../api/openai/openai.ts";
import { invalidField, type ServiceError } from "../lib/errors.ts";
import { type ContentPart, isCachePoint, plainText } from "./content-parts.ts";

/** Parses JSON that a model generated; invalid JSON is returned as text. */
function parseArguments(json: string): unknown {
  try {
    return JSON.parse(json || "{}");
  } catch {
    return json;
  }
}

/** Returns the error for a value that the AI SDK's providers do not support. */
export const unsupportedParameter = (path: string, message: string): ServiceError =>
  invalidField(path, "unsupported_parameter", message);

/**
 * Converts a data URL to a file part.
 * @throws ServiceError `validation_failed` for other URLs, which the provider would have to fetch
 */
function toFile(url: string, path: string, filename?: string): LanguageModelV4FilePart {
  const [, mediaType, data] = /^data:([\w.+-]+\/[\w.+-]+);base64,(.*)$/s.exec(url) ?? [];
  if (!mediaType || data === undefined) throw unsupportedParameter(path, "must be a base64 data URL for this model");
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

/** Text in place of an empty one, which Bedrock refuses. */
const NO_TEXT = "(empty)";

const textPart = (text: string) => ({ type: "text" as const, text });

const isBlank = (text: string): boolean => text.trim() === "";

/** Options that let the cache of Bedrock end after a part or message. */
const cachePoint = { providerOptions: { bedrock: { cachePoint: { type: "default" } } } } as const;

/** Returns true if a client lets the cache end within a content, by `cache_control` of this or the messages API. */
const hasCachePoint = (content: ChatMessage["content"]): boolean =>
  Array.isArray(content) && content.some((part) => isCachePoint(part) || Boolean(part.cache_control));

const toToolResult = (toolCallId: string, toolName: string, value: string): LanguageModelV4Message => ({
  role: "tool",
  content: [
    { type: "tool-result", toolCallId, toolName, output: { type: "text", value: isBlank(value) ? NO_TEXT : value } },
  ],
});

type UserContent = Extract<ChatMessage, { role: "user" }>["content"];

/** Converts the content of a user, without empty texts, which clients send and Bedrock refuses. */
function toUserContent(content: UserContent, position: number, marks: boolean) {
  const parts = typeof content === "string" ? [textPart(content)] : content;
  const written = parts.flatMap((part, index) => {
    const converted = toUserPart(part, `messages.${position}.content.${index}`);
    if (converted.type === "text" && isBlank(converted.text)) return [];
    return { ...converted, ...(marks && hasCachePoint([part]) && cachePoint) };
  });
  return written.length > 0 ? written : [textPart(NO_TEXT)];
}

type Instruction = Extract<ChatMessage, { role: "system" | "developer" }>;
type InstructionContent = Instruction["content"];

const isInstruction = (message: ChatMessage): message is Instruction =>
  message.role === "system" || message.role === "developer";

function toPromptMessage(
  message: Exclude<ChatMessage, Instruction>,
  position: number,
  toolNames: Map<string, string>,
  marks: boolean,
): LanguageModelV4Message {
  switch (message.role) {
    case "user":
      return { role: "user", content: toUserContent(message.content, position, marks) };
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
          ...(text ? [textPart(text)] : []),
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
      const result = toToolResult(message.tool_call_id, toolName, plainText(message.content));
      return { ...result, ...(marks && hasCachePoint(message.content) && cachePoint) };
    }
    case "function":
      return toToolResult(legacyCallId(message.name), message.name, message.content ?? "");
  }
}

/** Converts instructions in front of the conversation: one message, or more if the cache may end within them. */
function toSystemMessages(content: InstructionContent, marks: boolean): LanguageModelV4Message[] {
  const parts = Array.isArray(content) && hasCachePoint(content) ? content : [textPart(plainText(content))];
  return parts
    .filter(({ text }) => !isBlank(text))
    .map((part) => ({ role: "system", content: part.text, ...(marks && hasCachePoint([part]) && cachePoint) }));
}

/**
 * Converts the messages of a request. Bedrock takes system messages only in front of the conversation, which starts with a user: later
 * ones become messages of the user, as the last one does if there are no others.
 * @param instructions system message that precedes the caller's messages
 * @param marks true if the cache of the provider may end where the client says
 * @throws ServiceError `validation_failed` for a part that is not supported, or a tool result without a call
 */
export function toModelPrompt(
  messages: readonly ChatMessage[],
  instructions: string,
  marks: boolean,
): LanguageModelV4Prompt {
  const toolNames = new Map<string, string>();
  const begin = messages.findIndex((message) => !isInstruction(message));
  const last = messages.length - 1;
  const converted = messages.map((message, position): LanguageModelV4Message[] => {
    if (!isInstruction(message)) return [toPromptMessage(message, position, toolNames, marks)];
    if (position < (begin < 0 ? last : begin)) return toSystemMessages(message.content, marks);
    return [{ role: "user", content: toUserContent(message.content, position, marks) }];
  });
  const [first] = converted[begin] ?? [];
  return [
    ...(instructions ? [{ role: "system" as const, content: instructions }] : []),
    ...converted.flatMap((each, position) =>
      position === begin && first?.role === "assistant"
        ? [{ role: "user" as const, content: [textPart(NO_TEXT)] }, ...each]
        : each,
    ),
  ];
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
