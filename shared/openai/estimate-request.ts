import type { ChatCompletionRequest } from "../api/openai/openai.ts";
import { estimateTokens } from "../models/tokens.ts";
import { plainText } from "./content-parts.ts";

/**
 * Estimates the prompt tokens of a request: instructions, texts, tool calls and tool definitions, but no images, audio
 * and files.
 */
export function estimateRequest(
  instructions: string,
  { messages, tools }: Pick<ChatCompletionRequest, "messages" | "tools">,
): number {
  const texts = messages.map((message) => {
    const calls = "tool_calls" in message && message.tool_calls ? JSON.stringify(message.tool_calls) : "";
    return plainText(message.content) + calls;
  });
  return estimateTokens([instructions, ...texts, tools ? JSON.stringify(tools) : ""].join("\n"));
}
