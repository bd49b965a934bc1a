import { requestProvider } from "../../lib/outgoing/post-to-provider.ts";
import { requireAnswer } from "./http-failure.ts";
import { readChunks } from "./read-chunks.ts";
import { wellFormedChunks } from "./well-formed-chunks.ts";

const encoder = new TextEncoder();

/**
 * Returns a function like `fetch` for the AI SDK's adapter of streamed chat completions. It sends requests with the client that
 * all calls of providers use, and reads answers as the OpenAI-compatible API does. The stream ends with the answer; the AI
 * SDK's parser would otherwise wait until the provider closes the connection.
 * @param hasReasoningTags whether an answer can begin with reasoning between tags such as `<think>`
 */
export const providerFetch =
  (hasReasoningTags: boolean): typeof fetch =>
  async (input, init = {}) => {
    const response = await requireAnswer(
      await requestProvider(
        new URL(input instanceof Request ? input.url : input),
        {
          method: init.method ?? "GET",
          headers: Object.fromEntries(new Headers(init.headers)),
          ...(typeof init.body === "string" && { body: init.body }),
        },
        init.signal ?? undefined,
      ),
    );
    const chunks = wellFormedChunks(readChunks(response), hasReasoningTags);
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(`data: ${JSON.stringify(value)}\n\n`));
      },
      cancel() {
        response.body.destroy();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
