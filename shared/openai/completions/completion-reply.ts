import type { Route } from "../../api/define-route.ts";
import type { ChatCompletionRequest } from "../../api/openai/openai.ts";
import type { ApiKeyPrincipal } from "../../auth/principal.ts";
import { openaiTokenHeaders } from "../../http/rate-limit-headers.ts";
import { Reply } from "../../http/reply.ts";
import { StreamReply, type StreamRequest } from "../../http/stream-endpoint.ts";
import type { ServiceError } from "../../lib/errors.ts";
import type { Tenant } from "../../tenancy/tenant-store.ts";
import { collectAnswer, completeOnce, type IdempotentCompletion } from "./complete-once.ts";
import type { CompletionAnswer } from "./completion.ts";
import { completionCanceled, type IdPrefix, newCompletionId, watchCancellation } from "./completion-cancellation.ts";
import { completionStream, type StreamFormat, waitForStart } from "./completion-stream.ts";
import { wholeReply } from "./whole-reply.ts";

/** Response format of an OpenAI-compatible endpoint that returns completions. */
interface CompletionFormat {
  /** Prefix of the completion's id; `chatcmpl-` by default. */
  readonly idPrefix?: IdPrefix;
  readonly stream: StreamFormat;
  /** Returns the body of a response that is not streamed. */
  toBody(answer: CompletionAnswer): Record<string, unknown>;
  /** Returns the body of an error that occurs after the response has started; OpenAI's format if omitted. */
  toErrorBody?(error: ServiceError): unknown;
  /** Called with the complete answer before the response ends, for example to store it; not called for replays. */
  onAnswer?(answer: CompletionAnswer): Promise<void>;
}

/**
 * Returns the header field `AI-Disclosure`, which marks a response as AI-generated, with the model if RFC 9651 can express its name.
 * @see https://datatracker.ietf.org/doc/draft-abaris-aicdh/
 */
const toDisclosure = (model: string) =>
  /^[ !#-[\]-~]+$/.test(model) ? `mode=ai-originated; model="${model}"` : "mode=ai-originated";

/** Generates a completion and responds with it: as a stream if the request asks for one, otherwise as one JSON body. */
export async function completionReply<Contract extends Route>(
  request: StreamRequest<Contract>,
  body: ChatCompletionRequest,
  format: CompletionFormat,
): Promise<StreamReply | Reply<never>> {
  const { requestId, idempotentRequest } = request;
  const principal = request.principal as ApiKeyPrincipal;
  const id = await newCompletionId(principal, format.idPrefix ?? "chatcmpl-");
  const controller = new AbortController();
  // A request with an `Idempotency-Key` continues, because its retry will return the answer.
  if (!idempotentRequest) {
    const cancel = () => controller.abort(completionCanceled());
    if (request.disconnectSignal?.aborted) cancel();
    else request.disconnectSignal?.addEventListener("abort", cancel, { once: true });
  }
  // Callers learn the id of a completion that is not streamed when its response starts, so that it cannot be canceled before.
  let stopWatching = body.stream ? watchCancellation(principal, id, controller) : () => {};
  let hasFailedAttempt = false;
  const completion = completeOnce(principal, body, idempotentRequest, {
    id,
    tenant: request.tenant as Tenant,
    signal: controller.signal,
    onRetry: () => {
      hasFailedAttempt = true;
    },
  });
  request.runAfterResponse(async () => {
    // A completion that failed to start has no usage to record.
    const started = await completion.catch(() => null);
    stopWatching();
    await started?.finish();
  });
  const getHeaders = (started: IdempotentCompletion | null): Record<string, string> => ({
    "ai-disclosure": toDisclosure(body.model),
    ...openaiTokenHeaders(started?.tokenLimit ?? null),
    ...(started?.replayed && { "idempotent-replayed": "true" }),
    // Until it has started, a request with an `Idempotency-Key` may still become a replay with another id.
    ...(body.stream && (started || !idempotentRequest) && { "x-completion-id": started?.head.id ?? id }),
  });
  if (!body.stream) {
    const getWhole = async () => {
      const started = await completion;
      const answer = await collectAnswer(started);
      if (!started.replayed) await format.onAnswer?.(answer);
      return new Reply(200, format.toBody(answer) as never, getHeaders(started));
    };
    const onLate = () => {
      stopWatching = watchCancellation(principal, id, controller);
      return { "ai-disclosure": toDisclosure(body.model), "x-completion-id": id };
    };
    return wholeReply({ completion, whole: getWhole(), requestId, onLate }, format.toErrorBody);
  }
  const started = await waitForStart({ completion, hasFailedAttempt: () => hasFailedAttempt });
  const stream = completionStream(completion, started === null, format.stream, requestId);
  return new StreamReply(stream, getHeaders(started));
}
