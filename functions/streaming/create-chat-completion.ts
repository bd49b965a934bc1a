import { createChatCompletion } from "#shared/api/openai/openai.ts";
import { Reply } from "#shared/http/reply.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { collectAnswer, completeOnce } from "#shared/openai/complete-once.ts";
import { toChatCompletion } from "#shared/openai/completion.ts";
import { completionStream, waitForStart } from "#shared/openai/completion-stream.ts";

export const handler = streamEndpoint(createChatCompletion, async (request) => {
  const { principal, body, requestId, idempotentRequest } = request;
  let hasFailedAttempt = false;
  const onRetry = () => {
    hasFailedAttempt = true;
  };
  const completion = completeOnce(principal, body, idempotentRequest, { onRetry });
  // A completion that could not be started has nothing to finish.
  const finish = () =>
    completion
      .then(
        (started) => started.finish,
        () => null,
      )
      .then((finishStarted) => finishStarted?.());
  request.runAfterResponse(finish);
  const replayHeaders = (replayed: boolean): Record<string, string> =>
    replayed ? { "idempotent-replayed": "true" } : {};
  if (!body.stream) {
    const answer = await completion;
    return new Reply(200, toChatCompletion(await collectAnswer(answer)), replayHeaders(answer.replayed));
  }
  const started = await waitForStart({ completion, hasFailedAttempt: () => hasFailedAttempt });
  const includeUsage = body.stream_options?.include_usage ?? false;
  const stream = completionStream(completion, started === null, { includeUsage, requestId });
  return new StreamReply(stream, replayHeaders(started?.replayed ?? false));
});
