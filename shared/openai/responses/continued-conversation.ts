import type { ChatMessage } from "../../api/openai/openai.ts";
import type { InputItem } from "../../api/openai/response-items.ts";
import type { ResponseRequest } from "../../api/openai/responses.ts";
import type { ApiKeyPrincipal } from "../../auth/principal.ts";
import { invalidField, ServiceError } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import type { CompletionAnswer } from "../completions/completion.ts";
import { addItems, listItemsToContinue } from "./conversation-store.ts";
import { toInputItems, toListedItem } from "./items.ts";
import { toConversationId, toResponse } from "./response-object.ts";
import { getResponseMessages } from "./response-store.ts";
import { toChatMessages } from "./response-to-chat-request.ts";

type Continuation = Pick<ResponseRequest, "conversation" | "previous_response_id">;

/**
 * Returns the messages of the stored response or the conversation that a request continues; empty if it continues none.
 * @throws ServiceError `validation_failed` if the request names both or the response does not exist; `not_found` if the
 * conversation does not exist; `payload_too_large` if it is too long
 */
export async function getHistory(principal: ApiKeyPrincipal, request: Continuation): Promise<readonly ChatMessage[]> {
  const { conversation, previous_response_id: previousId } = request;
  if (conversation && previousId) {
    throw invalidField(
      "previous_response_id",
      "mutually_exclusive_parameters",
      "cannot be used together with conversation",
    );
  }
  if (previousId) return getResponseMessages(principal, previousId);
  if (!conversation) return [];
  return toChatMessages((await listItemsToContinue(principal, toConversationId(conversation))) as InputItem[]);
}

/** Returns the UUID that a response id contains, as 32 hexadecimal digits. */
const toBatchId = (responseId: string) =>
  Buffer.from(responseId.slice("resp_".length), "base64url").subarray(0, 16).toString("hex");

/**
 * Adds input and output of a response to its conversation. A second call with the same answer overwrites the items with
 * equal ones. If the conversation was deleted in the meantime, nothing is added.
 */
export async function addToConversation(
  principal: ApiKeyPrincipal,
  request: ResponseRequest,
  answer: CompletionAnswer,
): Promise<void> {
  if (!request.conversation) return;
  const batchId = toBatchId(answer.head.id);
  const input = toInputItems(request.input).map((item, index) => toListedItem(item, `${batchId}_${index}`));
  const items = [...input, ...toResponse(request, answer).output];
  try {
    await addItems(principal, toConversationId(request.conversation), items, batchId);
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === "not_found")) throw error;
    log.info("conversation deleted during its response", { completion_id: answer.head.id });
  }
}
