import { toServiceError } from "../lib/to-service-error.ts";
import type { Completing } from "./complete.ts";
import { choice, chunkText, type Delta, openaiUsage } from "./completion.ts";
import { openaiError } from "./openai-error.ts";

/** How long the stream may be silent before a comment says that it lives, in milliseconds. */
const longestSilence = 10_000;

/** Texts as they come, with a comment after every long silence. */
async function* withHeartbeat(texts: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
  let next = texts.next();
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), longestSilence);
    });
    const result = await Promise.race([next, silence]);
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

/** How a stream is wanted. */
interface StreamOptions {
  readonly includeUsage: boolean;
  readonly requestId: string;
}

async function* events(
  completing: Completing,
  { includeUsage, requestId }: StreamOptions,
): AsyncGenerator<string, void> {
  const { head, deltas } = completing;
  // With usage asked for, every chunk has the field, and all but the last have null in it.
  const blank = includeUsage ? { usage: null } : {};
  const chunk = (delta: Delta, finish: string | null = null) =>
    chunkText(head, { choices: choice(delta, finish), ...blank });
  yield chunk({ role: "assistant", content: "", refusal: null });
  try {
    for await (const delta of deltas) yield chunk(delta);
  } catch (error) {
    // The status has long been sent: what went wrong is said in the stream, which then ends.
    yield `data: ${JSON.stringify(openaiError(toServiceError(error, requestId)))}\n\n`;
    return;
  }
  const { finish_reason, usage } = completing.answer();
  yield chunk({}, finish_reason);
  if (includeUsage) yield chunkText(head, { choices: [], usage: openaiUsage(usage) });
  yield "data: [DONE]\n\n";
}

/** An answer as OpenAI's event stream. */
export function completionStream(completing: Completing, options: StreamOptions): AsyncGenerator<string, void> {
  return withHeartbeat(events(completing, options));
}
