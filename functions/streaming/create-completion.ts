import { createCompletionRoute } from "#shared/api/openai/completions.ts";
import { streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import { completionReply } from "#shared/openai/completions/completion-reply.ts";
import { chunkFormat } from "#shared/openai/completions/completion-stream.ts";
import { formatTextChunk, textToChatRequest, toTextCompletion } from "#shared/openai/completions/text-completion.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";

preloadAdapters();

export const handler = streamEndpoint(
  createCompletionRoute,
  (request) =>
    completionReply(request, textToChatRequest(request.body), {
      idPrefix: "cmpl-",
      stream: chunkFormat(request.body.stream_options?.include_usage ?? false, formatTextChunk),
      toBody: toTextCompletion,
    }),
  openaiFormat,
);
