import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4ToolChoice,
} from "@ai-sdk/provider";
import type { ChatCompletionRequest, ChatMessage } from "../api/openai/openai.ts";
import { invalidField } from "../lib/errors.ts";

type Text = Extract<ChatMessage, { role: "tool" }>["content"];

/** A text as it is, or put together from its parts. */
export function plainText(content: Text | null | undefined): string {
  if (content === null || content === undefined) return "";
  return typeof content === "string" ? content : content.map(({ text }) => text).join("");
}

/** JSON as a model wrote it; what is no JSON is passed on as the text it is. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json || "{}");
  } catch {
    return json;
  }
}

function promptMessage(message: ChatMessage, position: number, toolNames: Map<string, string>): LanguageModelV4Message {
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
            input: parsed(call.function.arguments),
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
          message: "must be the id of a tool call of an earlier assistant message",
        });
      }
      const output = { type: "text" as const, value: plainText(message.content) };
      return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
    }
    default:
      return { role: "system", content: plainText(message.content) };
  }
}

function toolChoice(given: ChatCompletionRequest["tool_choice"]): LanguageModelV4ToolChoice | undefined {
  if (!given) return undefined;
  return typeof given === "string" ? { type: given } : { type: "tool", toolName: given.function.name };
}

function responseFormat(given: ChatCompletionRequest["response_format"]): LanguageModelV4CallOptions["responseFormat"] {
  if (!given || given.type === "text") return undefined;
  if (given.type === "json_object") return { type: "json" };
  const { name, description, schema } = given.json_schema;
  return { type: "json", name, description: description ?? undefined, schema: schema ?? undefined };
}

function functionTool({
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
 * A request of OpenAI's clients as the AI SDK's providers take it.
 * @param instructions what the endpoint itself tells the model, before anything the caller says
 * @throws ServiceError `validation_failed` for the result of a tool that nobody called
 */
export function callOptions(request: ChatCompletionRequest, instructions: string): LanguageModelV4CallOptions {
  const toolNames = new Map<string, string>();
  const messages = request.messages.map((message, position) => promptMessage(message, position, toolNames));
  return {
    prompt: [...(instructions ? [{ role: "system" as const, content: instructions }] : []), ...messages],
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
    topP: request.top_p ?? undefined,
    stopSequences: typeof request.stop === "string" ? [request.stop] : (request.stop ?? undefined),
    seed: request.seed ?? undefined,
    tools: request.tools?.map(functionTool),
    toolChoice: toolChoice(request.tool_choice),
    responseFormat: responseFormat(request.response_format),
  };
}
