import { compactResponseRoute } from "#shared/api/openai/response-operations.ts";
import { loadAppSecrets } from "#shared/auth/app-secret.ts";
import { streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import { completionReply } from "#shared/openai/completions/completion-reply.ts";
import { chunkFormat } from "#shared/openai/completions/completion-stream.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { resolveInput, toCompaction, toSummaryRequest } from "#shared/openai/responses/compaction.ts";
import { getHistory } from "#shared/openai/responses/continued-conversation.ts";
import { toChatMessages } from "#shared/openai/responses/response-to-chat-request.ts";

preloadAdapters();

export const handler = streamEndpoint(
  compactResponseRoute,
  async (request) => {
    const { principal } = request;
    const [input, history, { current }] = await Promise.all([
      resolveInput(principal, request.body.input ?? []),
      getHistory(principal, request.body),
      loadAppSecrets(),
    ]);
    const messages = [...history, ...toChatMessages(input)];
    return completionReply(request, toSummaryRequest({ ...request.body, input }, history), {
      idPrefix: "resp_",
      // The reply is not streamed.
      stream: chunkFormat(false),
      toBody: (answer) => toCompaction(principal, current, messages, answer),
    });
  },
  openaiFormat,
);
