import { createResponse } from "#shared/api/openai/responses.ts";
import { completionReply } from "#shared/http/completion-reply.ts";
import { streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import type { CompletionAnswer } from "#shared/openai/completion.ts";
import { responseFormat } from "#shared/openai/responses/response-events.ts";
import { toResponse } from "#shared/openai/responses/response-object.ts";
import { getResponseMessages, storeResponse } from "#shared/openai/responses/response-store.ts";
import { toChatMessages, toChatRequest, toHistoryMessage } from "#shared/openai/responses/to-chat-request.ts";

preloadAdapters();

export const handler = streamEndpoint(createResponse, async (request) => {
  const { principal, body } = request;
  const history = body.previous_response_id ? await getResponseMessages(principal, body.previous_response_id) : [];
  const store = async (answer: CompletionAnswer) => {
    if (body.store === false) return;
    const messages = [...history, ...toChatMessages(body.input), toHistoryMessage(answer)];
    await storeResponse(principal, toResponse(body, answer), messages);
  };
  return completionReply(request, toChatRequest(body, history), {
    idPrefix: "resp_",
    stream: responseFormat(body, store),
    toBody: (answer) => toResponse(body, answer),
    onAnswer: store,
  });
});
