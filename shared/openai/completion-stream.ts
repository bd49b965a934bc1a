import { toServiceError } from "../lib/to-service-error.ts";
import type { Completion } from "./complete.ts";
import { type Delta, formatChunk, toChoices, toOpenaiUsage } from "./completion.ts";
import { openaiError } from "./openai-error.ts";

/** Idle time after which a comment is sent to keep the connection open. */
const HEARTBEAT_INTERVAL_MS = 10_000;

/** Adds a comment whenever the stream is idle for the heartbeat interval. */
async function* withHeartbeat(texts: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
  let next = texts.next();
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), HEARTBEAT_INTERVAL_MS);
    });
    const result = await Promise.race([next, timeout]);
    clearTimeout(timer);
    if (result === null) {
      yield ": still here\n\n";
      continue;
    }
    if (result.done) return;
    next = texts.next();
    yield result.value;
  }
}

interface StreamOptions {
  readonly includeUsage: boolean;
  readonly requestId: string;
}

async function* events(
  completing: Completion,
  { includeUsage, requestId }: StreamOptions,
): AsyncGenerator<string, void> {
  const { head, deltas } = completing;
  // If usage is requested, every chunk has the field, and it is null in all but the last.
  const emptyUsage = includeUsage ? { usage: null } : {};
  const chunk = (delta: Delta, finish: string | null = null) =>
    formatChunk(head, { choices: toChoices(delta, finish), ...emptyUsage });
  yield chunk({ role: "assistant", content: "", refusal: null });
  try {
    for await (const delta of deltas) yield chunk(delta);
  } catch (error) {
    // The status line has been sent, so the error becomes the last event of the stream.
    yield `data: ${JSON.stringify(openaiError(toServiceError(error, requestId)))}\n\n`;
    return;
  }
  const { finish_reason, usage } = completing.answer();
  yield chunk({}, finish_reason);
  if (includeUsage) yield formatChunk(head, { choices: [], usage: toOpenaiUsage(usage) });
  yield "data: [DONE]\n\n";
}

/** Streams a completion in OpenAI's event format. */
export function completionStream(completing: Completion, options: StreamOptions): AsyncGenerator<string, void> {
  return withHeartbeat(events(completing, options));
}
