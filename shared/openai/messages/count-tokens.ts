import type { TokenCountRequest } from "../../api/openai/message-requests.ts";
import type { ApiKeyPrincipal } from "../../auth/principal.ts";
import { estimateTokens } from "../../models/tokens.ts";
import { plainText } from "../content-parts.ts";
import { getEndpoint } from "../model.ts";
import { toChatRequest } from "./to-chat-request.ts";

/**
 * Estimates the tokens of a request with the instructions of its persona, without images and files.
 * @throws ServiceError `not_found` for an unknown model
 */
export async function countTokens(principal: ApiKeyPrincipal, request: TokenCountRequest): Promise<number> {
  const { instructions } = await getEndpoint(principal, request.model);
  const { messages, tools } = toChatRequest(request);
  const texts = messages.map((message) => {
    const calls = "tool_calls" in message && message.tool_calls ? JSON.stringify(message.tool_calls) : "";
    return plainText(message.content) + calls;
  });
  return estimateTokens([instructions, ...texts, tools ? JSON.stringify(tools) : ""].join("\n"));
}
