import { isTemporary, MAX_ATTEMPTS } from "./chat.ts";
import { ProblemError } from "./problem.ts";
import { backoffMs, sleep } from "./retry.ts";
import { watchConnection } from "./watched-connection.ts";

type Fetch = typeof globalThis.fetch;

/** Last event of a finished answer, in the protocols of the AI SDK and AG-UI. */
const END = /^data: (?:\[DONE\]|\{"type":"RUN_(?:FINISHED|ERROR)")/m;

/** Event that begins each stream of AG-UI, and that a client accepts only once in an answer. */
const START = /^data: \{"type":"RUN_STARTED"/m;

/** Start or end of a text or of reasoning. */
const BOUNDARY = /^data: \{"type":"([a-z_]+[-_])(start|end)","(id|messageId)":"([^"]+)"/im;

/** Notes what an event opens, with the event that closes it, or closes. */
function noteOpen(open: Map<string, string>, text: string): void {
  const [, name = "", action = "", field = "", id = ""] = BOUNDARY.exec(text) ?? [];
  if (action.toLowerCase() === "end") open.delete(name + id);
  if (action.toLowerCase() !== "start") return;
  const end = { type: name + (action === "START" ? "END" : "end"), [field]: id };
  open.set(name + id, `data: ${JSON.stringify(end)}\n\n`);
}

const urlOf = (input: string | URL | Request) => (input instanceof Request ? input.url : String(input));

/** Yields the events of a response as text. Ends early when the network is lost or silent for too long. */
async function* readEventTexts(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const connection = watchConnection();
  const reader = body.getReader();
  const decoder = new TextDecoder();
  connection.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}), { once: true });
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      connection.noteActivity();
      const events = (text + decoder.decode(value, { stream: true })).split("\n\n");
      text = events.pop() ?? "";
      yield* events;
    }
  } finally {
    connection.close();
  }
}

/** Yields the events of an answer, from one stream after the other. */
async function* readAnswer(
  fetch: Fetch,
  input: string | URL | Request,
  init: RequestInit,
  first: Response,
): AsyncGenerator<string, void> {
  let response = first;
  let lastEventId = "";
  const open = new Map<string, string>();
  for (let attempt = 0; ; attempt++) {
    try {
      if (response.status === 204) return;
      if (!response.ok || !response.body) throw await ProblemError.from(response);
      for await (const text of readEventTexts(response.body)) {
        const id = /^id: (.+)$/m.exec(text)?.[1];
        if (id) [lastEventId, attempt] = [id, 0];
        noteOpen(open, text);
        if (response === first || !START.test(text)) yield `${text}\n\n`;
        if (END.test(text)) return;
      }
      if (lastEventId === "") throw new TypeError("The network was lost before the first event.");
    } catch (error) {
      if (lastEventId === "" || !isTemporary(error) || attempt + 1 >= MAX_ATTEMPTS) throw error;
    }
    // The next stream opens what it continues.
    yield* [...open.values()].reverse();
    open.clear();
    await sleep(attempt === 0 ? 50 : backoffMs(attempt), init.signal);
    const messageId = lastEventId.slice(0, lastEventId.indexOf(":"));
    const url = init.method === "POST" ? `${urlOf(input)}/${messageId}/stream` : urlOf(input);
    const headers = new Headers(init.headers);
    headers.set("last-event-id", lastEventId);
    response = await fetch(url, { ...init, method: "GET", body: null, headers }).catch(() => Response.error());
  }
}

/**
 * Returns a `fetch` that continues the stream of an answer in another request when its connection ends before the answer does:
 * after a lost network, and after the 60 seconds that a connection lasts at most. For the transports of `useChat` and AG-UI.
 * @param fetch is called for each request, so that it can set a current token
 */
export function withResume(fetch: Fetch = (input, init) => globalThis.fetch(input, init)): Fetch {
  return async (input, init = {}) => {
    const response = await fetch(input, init);
    if (!response.ok || !response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
    const events = readAnswer(fetch, input, init, response);
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await events.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await events.return();
      },
    });
    return new Response(body, { status: response.status, headers: response.headers });
  };
}
