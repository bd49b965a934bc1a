import type { Route } from "../api/define-route.ts";
import type { ChatCompletionRequest } from "../api/openai/openai.ts";
import type { ApiKeyPrincipal } from "../auth/principal.ts";
import { collectAnswer, completeOnce } from "../openai/complete-once.ts";
import type { CompletionAnswer } from "../openai/completion.ts";
import { completionStream, type StreamFormat, waitForStart } from "../openai/completion-stream.ts";
import { Reply } from "./reply.ts";
import { StreamReply, type StreamRequest } from "./stream-endpoint.ts";

/** Representation of a completion in one of the APIs. */
export interface CompletionFormat {
  /** Prefix of the completion's id. */
  readonly idPrefix?: string;
  readonly stream: StreamFormat;
  /** Returns the body of a response that is not streamed. */
  toBody(answer: CompletionAnswer): Record<string, unknown>;
  /** Called with the answer, before the response ends; not for replays. */
  onAnswer?(answer: CompletionAnswer): Promise<void>;
}

/** Responds with a completion: streamed, or as a whole. */
export async function completionReply<Contract extends Route>(
  request: StreamRequest<Contract>,
  body: ChatCompletionRequest,
  format: CompletionFormat,
): Promise<StreamReply | Reply<never>> {
  const { requestId, idempotentRequest } = request;
  const { idPrefix } = format;
  let hasFailedAttempt = false;
  const completion = completeOnce(request.principal as ApiKeyPrincipal, body, idempotentRequest, {
    ...(idPrefix && { idPrefix }),
    onRetry: () => {
      hasFailedAttempt = true;
    },
  });
  request.runAfterResponse(async () => {
    // A completion that could not be started has nothing to finish.
    const started = await completion.catch(() => null);
    await started?.finish();
  });
  const getHeaders = (replayed: boolean): Record<string, string> => (replayed ? { "idempotent-replayed": "true" } : {});
  if (!body.stream) {
    const started = await completion;
    const answer = await collectAnswer(started);
    if (!started.replayed) await format.onAnswer?.(answer);
    return new Reply(200, format.toBody(answer) as never, getHeaders(started.replayed));
  }
  const started = await waitForStart({ completion, hasFailedAttempt: () => hasFailedAttempt });
  const stream = completionStream(completion, started === null, format.stream, requestId);
  return new StreamReply(stream, getHeaders(started?.replayed ?? false));
}
