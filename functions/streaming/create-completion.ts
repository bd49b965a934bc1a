import { createCompletion } from "#shared/api/openai/completions.ts";
import { completionReply } from "#shared/http/completion-reply.ts";
import { streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import { chunkFormat } from "#shared/openai/completion-stream.ts";
import { formatTextChunk, toChatRequest, toTextCompletion } from "#shared/openai/text-completion.ts";

preloadAdapters();

export const handler = streamEndpoint(createCompletion, (request) =>
  completionReply(request, toChatRequest(request.body), {
    idPrefix: "cmpl-",
    stream: chunkFormat(request.body.stream_options?.include_usage ?? false, formatTextChunk),
    toBody: toTextCompletion,
  }),
);
