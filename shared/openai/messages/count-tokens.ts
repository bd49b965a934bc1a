import type { TokenCountRequest } from "../../api/openai/message-requests.ts";
import type { ApiKeyPrincipal } from "../../auth/principal.ts";
import { estimateRequest } from "../estimate-request.ts";
import { getEndpoint } from "../model.ts";
import { messageToChatRequest } from "./message-to-chat-request.ts";

/**
 * Estimates the prompt tokens of a request, including the instructions of the persona that `model` names. Images and
 * files do not count.
 * @throws ServiceError `not_found` for an unknown model
 */
export async function countTokens(principal: ApiKeyPrincipal, request: TokenCountRequest): Promise<number> {
  const { instructions } = await getEndpoint(principal, request.model);
  return estimateRequest(instructions, messageToChatRequest(request));
}
