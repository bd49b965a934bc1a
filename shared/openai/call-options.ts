import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4ToolChoice,
} from "@ai-sdk/provider";
import type { ChatCompletionRequest } from "../api/openai/openai.ts";
import type { RequestTraits } from "../models/model-settings.ts";
import { toModelPrompt, unsupportedParameter } from "./prompt-messages.ts";
import { selectFields } from "./request-fields.ts";

function toToolChoice(choice: ChatCompletionRequest["tool_choice"]): LanguageModelV4ToolChoice | undefined {
  if (!choice) return undefined;
  if (typeof choice === "string") return { type: choice };
  if (choice.type !== "function") throw unsupportedParameter("tool_choice", "is not supported with this model");
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
  if (tool.type !== "function") throw unsupportedParameter(`tools.${index}.type`, "must be function for this model");
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
  if (!known) throw unsupportedParameter("reasoning_effort", `must be one of ${efforts.join(", ")}`);
  return known;
}

/**
 * Converts a chat completion request to the call options of the AI SDK's providers.
 * @param instructions system message that precedes the caller's messages
 * @param traits `pass` as handling of fields that `requestFields` does not list refuses them like `refuse`, because the AI SDK
 * cannot forward them
 * @throws ServiceError `validation_failed` for a field that the AI SDK's providers do not support, or a tool result
 * without a call
 */
export function toCallOptions(
  request: ChatCompletionRequest,
  instructions: string,
  { unknownFields, hasCachePoints = false }: RequestTraits = {},
): LanguageModelV4CallOptions {
  selectFields(request, "adapted", unknownFields);
  return {
    prompt: toModelPrompt(request.messages, instructions, hasCachePoints),
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
