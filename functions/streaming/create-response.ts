import type { OpenaiResponse } from "#shared/api/openai/answers.ts";
import { createResponseRoute } from "#shared/api/openai/responses.ts";
import { streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import type { CompletionAnswer } from "#shared/openai/completions/completion.ts";
import { completionReply } from "#shared/openai/completions/completion-reply.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { resolveInput } from "#shared/openai/responses/compaction.ts";
import { addToConversation, getHistory } from "#shared/openai/responses/continued-conversation.ts";
import { responseFormat } from "#shared/openai/responses/response-events.ts";
import { toResponse } from "#shared/openai/responses/response-object.ts";
import { storeResponse } from "#shared/openai/responses/response-store.ts";
import {
  responseToChatRequest,
  toChatMessages,
  toHistoryMessage,
} from "#shared/openai/responses/response-to-chat-request.ts";

preloadAdapters();

export const handler = streamEndpoint(
  createResponseRoute,
  async (request) => {
    const { principal } = request;
    const [input, history] = await Promise.all([
      resolveInput(principal, request.body.input),
      getHistory(principal, request.body),
    ]);
    const body = { ...request.body, input };
    const store = async (response: OpenaiResponse, answer: CompletionAnswer) => {
      const messages = [...history, ...toChatMessages(body.input), toHistoryMessage(answer)];
      await Promise.all([
        body.store === false ? undefined : storeResponse(principal, response, messages),
        addToConversation(principal, body, answer),
      ]);
    };
    return completionReply(request, responseToChatRequest(body, history), {
      idPrefix: "resp_",
      stream: responseFormat(body, store),
      toBody: (answer) => toResponse(body, answer),
      onAnswer: (answer) => store(toResponse(body, answer), answer),
    });
  },
  openaiFormat,
);
