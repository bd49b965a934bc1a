import { type ProviderResponse, readText, requestProvider } from "../../lib/outgoing/post-to-provider.ts";
import { HttpFailure } from "./http-failure.ts";
import { readEvents } from "./read-events.ts";

const encoder = new TextEncoder();

/**
 * Converts the events of a response to a stream that ends with the answer. The AI SDK's parser would otherwise wait until the
 * provider closes the connection.
 */
function toEventStream(response: ProviderResponse): ReadableStream<Uint8Array> {
  const events = readEvents(response.body);
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        const { done, value } = await events.next();
        if (done) return controller.close();
        if (value.length === 0) continue;
        const text = value.map((data) => `data: ${data.replaceAll("\n", "\ndata: ")}\n\n`).join("");
        return controller.enqueue(encoder.encode(text));
      }
    },
    cancel() {
      response.body.destroy();
    },
  });
}

/** Function like `fetch` for the AI SDK's adapters. It sends requests with the client that all calls of providers use. */
export const providerFetch: typeof fetch = async (input, init = {}) => {
  const response = await requestProvider(
    new URL(input instanceof Request ? input.url : input),
    {
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === "string" && { body: init.body }),
    },
    init.signal ?? undefined,
  );
  const { status } = response;
  const type = response.headers["content-type"] ?? "";
  const headers = Object.entries(response.headers).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" && name !== "content-encoding" ? [[name, value]] : [],
  );
  if (status === 200 && type.startsWith("text/event-stream")) {
    return new Response(toEventStream(response), { status, headers });
  }
  const text = await readText(response);
  if (status === 204 || status === 205 || (status >= 300 && status < 400)) throw new HttpFailure(response, text);
  return new Response(text, { status, headers });
};
