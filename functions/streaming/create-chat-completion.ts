import { createChatCompletion } from "#shared/api/openai.ts";
import { complete } from "#shared/chat/openai/complete.ts";
import { completion } from "#shared/chat/openai/completion.ts";
import { completionStream } from "#shared/chat/openai/completion-stream.ts";
import { recordCompletion } from "#shared/data/completion-store.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";

export const handler = streamEndpoint(createChatCompletion, async (request) => {
  const { principal, body, requestId } = request;
  const completing = await complete(principal, body);
  const { head, endpoint, writer, parts, usage } = completing;
  // What was generated is counted, whether or not anybody stayed to read it.
  const count = () =>
    recordCompletion(principal, {
      id: head.id,
      key_id: principal.keyId,
      persona_id: endpoint.persona_id,
      usage: usage(),
    });
  if (!body.stream) {
    for await (const part of parts) writer.take(part);
    request.keepAliveFor(count());
    return completion(head, writer, usage());
  }
  const includeUsage = body.stream_options?.include_usage ?? false;
  return new StreamReply(afterwards(completionStream(completing, { includeUsage, requestId }), count, request));
});

/** A stream, and something to be done when it has ended. */
async function* afterwards(
  chunks: AsyncGenerator<string, void>,
  work: () => Promise<unknown>,
  request: { keepAliveFor(work: Promise<unknown>): void },
): AsyncGenerator<string, void> {
  try {
    yield* chunks;
  } finally {
    request.keepAliveFor(work());
  }
}
