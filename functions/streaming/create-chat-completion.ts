import { createChatCompletionRoute } from "#shared/api/openai/openai.ts";
import { streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import { completionReply } from "#shared/openai/completions/completion-reply.ts";
import { chunkFormat } from "#shared/openai/completions/completion-stream.ts";
import { toChatCompletion } from "#shared/openai/completions/format-completion.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";

preloadAdapters();

export const handler = streamEndpoint(
  createChatCompletionRoute,
  (request) =>
    completionReply(request, request.body, {
      stream: chunkFormat(request.body.stream_options?.include_usage ?? false),
      toBody: toChatCompletion,
    }),
  openaiFormat,
);
