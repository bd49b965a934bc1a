import type { Reply } from "../../http/reply.ts";
import { StreamReply } from "../../http/stream-endpoint.ts";
import type { ServiceError } from "../../lib/errors.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import { openaiError } from "../openai-error.ts";
import type { Completion } from "./complete.ts";
import { completionStream } from "./completion-stream.ts";

/**
 * Time after which a response that is not streamed starts without its body. CloudFront closes a connection that is
 * silent for a minute.
 */
const SILENCE_MS = 40_000;

/** Parts of a response that is not streamed. */
interface WholeRequest {
  readonly completion: Promise<Completion>;
  /** Resolves to the response with the complete answer. */
  readonly whole: Promise<Reply<never>>;
  readonly requestId: string;
  /** Called when the response starts before the answer is complete. Returns additional headers. */
  readonly onLate: () => Readonly<Record<string, string>>;
}

/**
 * Returns the response when its body is complete. After `SILENCE_MS`, returns a stream instead, which sends white space
 * until the body follows.
 */
export async function wholeReply(
  { completion, whole, requestId, onLate }: WholeRequest,
  toErrorBody: (error: ServiceError) => unknown = openaiError,
): Promise<StreamReply | Reply<never>> {
  const early = await settleWithin(whole, SILENCE_MS);
  if (early) return early;
  const stream = completionStream(
    completion,
    false,
    {
      heartbeat: "\n",
      async *events() {
        yield JSON.stringify((await whole).body);
      },
      error: (error) => JSON.stringify(toErrorBody(error)),
    },
    requestId,
  );
  return new StreamReply(stream, { "content-type": "application/json", ...onLate() });
}
