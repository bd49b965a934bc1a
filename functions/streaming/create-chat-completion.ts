import { createChatCompletion } from "#shared/api/openai/openai.ts";
import { Reply } from "#shared/http/reply.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { collectAnswer, completeOnce } from "#shared/openai/complete-once.ts";
import { toChatCompletion } from "#shared/openai/completion.ts";
import { completionStream } from "#shared/openai/completion-stream.ts";

export const handler = streamEndpoint(createChatCompletion, async (request) => {
  const { principal, body, requestId, idempotentRequest } = request;
  const completion = await completeOnce(principal, body, idempotentRequest);
  request.runAfterResponse(completion.finish);
  const headers: Record<string, string> = completion.replayed ? { "idempotent-replayed": "true" } : {};
  if (!body.stream) return new Reply(200, toChatCompletion(await collectAnswer(completion)), headers);
  const includeUsage = body.stream_options?.include_usage ?? false;
  return new StreamReply(completionStream(completion, { includeUsage, requestId }), headers);
});
