import { createChatCompletion } from "#shared/api/openai/openai.ts";
import { Reply } from "#shared/http/reply.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { completeOnce, wholeOf } from "#shared/openai/complete-once.ts";
import { completion } from "#shared/openai/completion.ts";
import { completionStream } from "#shared/openai/completion-stream.ts";

export const handler = streamEndpoint(createChatCompletion, async (request) => {
  const { principal, body, requestId, idempotentRequest } = request;
  const pendingCompletion = await completeOnce(principal, body, idempotentRequest);
  request.runAfterResponse(pendingCompletion.settle);
  const headers: Record<string, string> = pendingCompletion.replayed ? { "idempotent-replayed": "true" } : {};
  if (!body.stream) return new Reply(200, completion(await wholeOf(pendingCompletion)), headers);
  const includeUsage = body.stream_options?.include_usage ?? false;
  return new StreamReply(completionStream(pendingCompletion, { includeUsage, requestId }), headers);
});
