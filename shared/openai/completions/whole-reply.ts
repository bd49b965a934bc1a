import type { Reply } from "../../http/reply.ts";
import { StreamReply } from "../../http/stream-endpoint.ts";
import type { ServiceError } from "../../lib/errors.ts";
import { openaiError } from "../openai-error.ts";
import type { Completion } from "./complete.ts";
import { completionStream } from "./completion-stream.ts";

/**
 * Time after which a response that is not streamed starts without its body, so that no hop closes a silent connection. CloudFront does
 * so after a minute.
 */
const SILENCE_MS = 40_000;

/** Completion whose response is not streamed. */
interface WholeRequest {
  readonly completion: Promise<Completion>;
  /** Response with the complete answer. */
  readonly whole: Promise<Reply<never>>;
  readonly requestId: string;
  /** Called when the response starts before its answer. Returns headers that are known by then. */
  readonly onLate: () => Readonly<Record<string, string>>;
}

/** Responds with a body, or starts the response before the body is known, with white space that keeps the connection open. */
export async function wholeReply(
  { completion, whole, requestId, onLate }: WholeRequest,
  toErrorBody: (error: ServiceError) => unknown = openaiError,
): Promise<StreamReply | Reply<never>> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), SILENCE_MS);
  });
  const early = await Promise.race([whole, silence]).finally(() => clearTimeout(timer));
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
