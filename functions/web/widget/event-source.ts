/** One event of a `text/event-stream`. */
interface ServerEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string;
}

function parseEvent(text: string): ServerEvent | null {
  const fields = new Map<string, string>();
  for (const line of text.split("\n")) {
    // The `s` flag: U+2028 and U+2029, which JSON leaves unescaped, do not end a line of a stream.
    const [, name = "", value = ""] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
    fields.set(name, fields.has(name) ? `${fields.get(name)}\n${value}` : value);
  }
  const data = fields.get("data");
  return data === undefined ? null : { id: fields.get("id"), type: fields.get("event") ?? "message", data };
}

/**
 * Yields the events of a response. `onData` is called for every chunk, comments included.
 * @see https://html.spec.whatwg.org/#event-stream-interpretation
 */
export async function* serverEvents(response: Response, onData: () => void): AsyncGenerator<ServerEvent> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const chunk = await reader?.read();
    if (!chunk || chunk.done) return;
    onData();
    const events = (text + chunk.value).replaceAll("\r", "").split("\n\n");
    text = events.pop() ?? "";
    for (const event of events.map(parseEvent)) if (event) yield event;
  }
}
