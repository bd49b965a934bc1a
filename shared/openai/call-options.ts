import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4ToolChoice,
} from "@ai-sdk/provider";
import type { ChatCompletionRequest, ChatMessage } from "../api/openai/openai.ts";
import { invalidField } from "../lib/errors.ts";

type Text = Extract<ChatMessage, { role: "tool" }>["content"];

/** Returns the text of a message content, joining its parts. */
export function plainText(content: Text | null | undefined): string {
  if (content === null || content === undefined) return "";
  return typeof content === "string" ? content : content.map(({ text }) => text).join("");
}

/** Parses JSON that a model generated; invalid JSON is returned as text. */
function parseArguments(json: string): unknown {
  try {
    return JSON.parse(json || "{}");
  } catch {
    return json;
  }
}

function toPromptMessage(
  message: ChatMessage,
  position: number,
  toolNames: Map<string, string>,
): LanguageModelV4Message {
  switch (message.role) {
    case "user":
      return { role: "user", content: [{ type: "text", text: plainText(message.content) }] };
    case "assistant": {
      const text = plainText(message.content);
      const calls = message.tool_calls ?? [];
      for (const call of calls) toolNames.set(call.id, call.function.name);
      return {
        role: "assistant",
        content: [
          ...(text ? [{ type: "text" as const, text }] : []),
          ...calls.map((call) => ({
            type: "tool-call" as const,
            toolCallId: call.id,
            toolName: call.function.name,
            input: parseArguments(call.function.arguments),
          })),
        ],
      };
    }
    case "tool": {
      const toolCallId = message.tool_call_id;
      const toolName = toolNames.get(toolCallId);
      if (toolName === undefined) {
        throw invalidField({
          path: `messages.${position}.tool_call_id`,
          location: "body",
          code: "invalid_value",
          message: "must be the id of a tool call in an earlier assistant message",
        });
      }
      const output = { type: "text" as const, value: plainText(message.content) };
      return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
    }
    default:
      return { role: "system", content: plainText(message.content) };
  }
}

function toToolChoice(choice: ChatCompletionRequest["tool_choice"]): LanguageModelV4ToolChoice | undefined {
  if (!choice) return undefined;
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.function.name };
}

function toResponseFormat(
  format: ChatCompletionRequest["response_format"],
): LanguageModelV4CallOptions["responseFormat"] {
  if (!format || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json" };
  const { name, description, schema } = format.json_schema;
  return { type: "json", name, description: description ?? undefined, schema: schema ?? undefined };
}

function toFunctionTool({
  function: { name, description, parameters },
}: NonNullable<ChatCompletionRequest["tools"]>[number]): LanguageModelV4FunctionTool {
  return {
    type: "function",
    name,
    description: description ?? undefined,
    inputSchema: parameters ?? { type: "object", properties: {} },
  };
}

/**
 * Converts a chat completion request to the call options of the AI SDK's providers.
 * @param instructions system message that precedes the caller's messages
 * @throws ServiceError `validation_failed` if a tool result refers to no tool call
 */
export function toCallOptions(request: ChatCompletionRequest, instructions: string): LanguageModelV4CallOptions {
  const toolNames = new Map<string, string>();
  const messages = request.messages.map((message, position) => toPromptMessage(message, position, toolNames));
  return {
    prompt: [...(instructions ? [{ role: "system" as const, content: instructions }] : []), ...messages],
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
    topP: request.top_p ?? undefined,
    stopSequences: typeof request.stop === "string" ? [request.stop] : (request.stop ?? undefined),
    seed: request.seed ?? undefined,
    tools: request.tools?.map(toFunctionTool),
    toolChoice: toToolChoice(request.tool_choice),
    responseFormat: toResponseFormat(request.response_format),
  };
}
