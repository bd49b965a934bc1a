/** One event of a `text/event-stream`. */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string;
}

function eventOf(text: string): ServerEvent | null {
  const fields = new Map<string, string>();
  for (const line of text.split("\n")) {
    // A line separator or paragraph separator (U+2028, U+2029) ends no line of a stream: JSON has them as they are.
    const [, name = "", value = ""] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
    fields.set(name, fields.has(name) ? `${fields.get(name)}\n${value}` : value);
  }
  const data = fields.get("data");
  return data === undefined ? null : { id: fields.get("id"), type: fields.get("event") ?? "message", data };
}

/** The events of a response as they come; comments in between are only heard. @see https://html.spec.whatwg.org/#event-stream-interpretation */
export async function* serverEvents(response: Response, onHeard: () => void): AsyncGenerator<ServerEvent> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) return;
    onHeard();
    const events = (text + part.value).replaceAll("\r", "").split("\n\n");
    text = events.pop() ?? "";
    for (const event of events.map(eventOf)) if (event) yield event;
  }
}
