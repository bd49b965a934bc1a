import { createParser } from "eventsource-parser";

/** One event of a `text/event-stream`. */
interface ServerEvent {
  readonly id: string | null;
  readonly type: string;
  readonly data: string;
}

/**
 * Yields the server-sent events of a response.
 * @param onBytes called for every chunk, including those that contain only comments
 */
export async function* readServerEvents(response: Response, onBytes: () => void): AsyncGenerator<ServerEvent, void> {
  if (!response.body) return;
  const events: ServerEvent[] = [];
  const parser = createParser({
    onEvent: ({ id = null, event: type = "message", data }) => {
      events.push({ id, type, data });
    },
  });
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      parser.feed(decoder.decode(value, { stream: true }));
      yield* events.splice(0);
    }
  } finally {
    // The reader is released when the caller stops reading, which closes the connection.
    await reader.cancel().catch(() => {});
  }
}
