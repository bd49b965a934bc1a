import { createAnthropicMessageRoute } from "#shared/api/openai/message-requests.ts";
import { streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import { completionReply } from "#shared/openai/completions/completion-reply.ts";
import { anthropicError, anthropicFormat } from "#shared/openai/messages/anthropic-error.ts";
import { messageFormat } from "#shared/openai/messages/message-format.ts";
import { toMessage } from "#shared/openai/messages/message-object.ts";
import { messageToChatRequest } from "#shared/openai/messages/message-to-chat-request.ts";

preloadAdapters();

export const handler = streamEndpoint(
  createAnthropicMessageRoute,
  (request) =>
    completionReply(request, messageToChatRequest(request.body), {
      idPrefix: "msg_",
      stream: messageFormat(request.body),
      toErrorBody: anthropicError,
      toBody: (answer) => toMessage(request.body, answer),
    }),
  anthropicFormat,
);
