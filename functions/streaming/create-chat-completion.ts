import { createChatCompletion } from "#shared/api/openai/openai.ts";
import { completionReply } from "#shared/http/completion-reply.ts";
import { streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import { toChatCompletion } from "#shared/openai/completion.ts";
import { chunkFormat } from "#shared/openai/completion-stream.ts";

preloadAdapters();

export const handler = streamEndpoint(createChatCompletion, (request) =>
  completionReply(request, request.body, {
    stream: chunkFormat(request.body.stream_options?.include_usage ?? false),
    toBody: toChatCompletion,
  }),
);
