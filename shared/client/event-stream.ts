/** One event of a `text/event-stream`. */
export interface ServerEvent {
  readonly id: string | null;
  readonly type: string;
  readonly data: string;
}

function parseEvent(text: string): ServerEvent | null {
  let id: string | null = null;
  let type = "message";
  const data: string[] = [];
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    if (colon < 1) continue;
    const name = line.slice(0, colon);
    const value = line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "id") id = value;
    else if (name === "event") type = value;
    else if (name === "data") data.push(value);
  }
  return data.length === 0 ? null : { id, type, data: data.join("\n") };
}

/**
 * Yields the events of a response. `onBytes` is called for every chunk, including comments.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export async function* readEvents(response: Response, onBytes: () => void): AsyncGenerator<ServerEvent, void> {
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      // A carriage return can be the last character of a chunk, so all of them are removed instead of CRLF pairs.
      const parts = (rest + decoder.decode(value, { stream: true }).replaceAll("\r", "")).split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const event = parseEvent(part);
        if (event) yield event;
      }
    }
  } finally {
    // The reader is released when the caller stops reading, which closes the connection.
    await reader.cancel().catch(() => {});
  }
}
