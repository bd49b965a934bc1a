import type { ChatCompletionRequest } from "../api/openai/openai.ts";
import { estimateTokens } from "../models/tokens.ts";
import { plainText } from "./content-parts.ts";

/** Estimates the tokens of a request with the instructions of its persona, without images and files. */
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
