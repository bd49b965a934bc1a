import type { EmbedSession } from "../../../shared/api/embed/embed.ts";
import type { ConnectionEvent, PublicEvent } from "../../../shared/runs/events.ts";
import { serverEvents } from "./event-source.ts";

/** The service did not do what it was asked, and said why. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  /** Seconds after which it is worth another try; 0 where the service names none. */
  readonly retryAfter: number;

  constructor(response: Response, code: string) {
    super(code);
    this.status = response.status;
    this.code = code;
    this.retryAfter = Number(response.headers.get("retry-after") ?? 0);
  }
}

/** An event of a stream, and the place in it. */
export interface StreamedEvent {
  readonly id: string | undefined;
  readonly event: PublicEvent | ConnectionEvent;
}

/** Who is in front of the page, as the website says. */
export interface Visitor {
  readonly id: string;
  readonly signature?: string;
}

/** Where the service is, and what opens it. */
export interface ApiOptions {
  readonly baseUrl: string;
  readonly embedKey: string;
  readonly visitor: Visitor | null;
}

/** The service says something at least every ten seconds; after this long the connection is dead, in milliseconds. */
const longestSilence = 25_000;

/** How long an answer that is not streamed may take, in milliseconds. */
const patience = 20_000;

/** A fresh idempotency key; `randomUUID` is not there on pages without TLS. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
}

/** The part of the service that a visitor's browser talks to. */
export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  /** Starts a session, or resumes the one that is named. */
  async start(sessionId: string | null): Promise<EmbedSession> {
    const { visitor } = this.#options;
    const body = { ...(sessionId && { session_id: sessionId }), ...(visitor && { visitor }) };
    const response = await this.#post("", body, newKey(), AbortSignal.timeout(patience));
    return response.json();
  }

  /** Reads a session as it is now. */
  async read(sessionId: string): Promise<EmbedSession> {
    return (await this.#fetch(sessionId, { signal: AbortSignal.timeout(patience) })).json();
  }

  /** Says something; with the same key again it goes on with the answer that is being made. */
  async *send(sessionId: string, content: string, key: string, signal: AbortSignal): AsyncGenerator<StreamedEvent> {
    yield* eventsOf((live) => this.#post(`${sessionId}/messages`, { content }, key, live), signal);
  }

  /** Goes on with an answer after the last event that came. */
  async *resume(
    sessionId: string,
    messageId: string,
    lastEventId: string | null,
    signal: AbortSignal,
  ): AsyncGenerator<StreamedEvent> {
    const headers: Record<string, string> = lastEventId ? { "last-event-id": lastEventId } : {};
    const path = `${sessionId}/messages/${messageId}/stream`;
    yield* eventsOf((live) => this.#fetch(path, { headers, signal: live }), signal);
  }

  /** Ends an answer that is being made. */
  async stop(sessionId: string, messageId: string): Promise<void> {
    await this.#fetch(`${sessionId}/messages/${messageId}/stop`, { method: "POST" });
  }

  /** Whether the service can be reached at all: a page whose origin is refused cannot read an answer, yet gets one. */
  async isReachable(): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(patience);
      await fetch(`${this.#options.baseUrl}/health`, { mode: "no-cors", cache: "no-store", signal });
      return true;
    } catch {
      return false;
    }
  }

  #post(path: string, body: object, key: string, signal: AbortSignal): Promise<Response> {
    const headers = { "content-type": "application/json", "idempotency-key": key };
    return this.#fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  }

  async #fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const { baseUrl, embedKey } = this.#options;
    const response = await fetch(`${baseUrl}/v1/embed/sessions${path && `/${path}`}`, {
      ...init,
      headers: { ...init.headers, "x-embed-key": embedKey },
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
    if (response.ok) return response;
    const problem = await response.json().catch(() => ({}));
    throw new Refusal(response, String(problem.code ?? "internal_error"));
  }
}

/** The events of a stream as they come; a stream that falls silent counts as broken off. */
async function* eventsOf(
  open: (signal: AbortSignal) => Promise<Response>,
  signal: AbortSignal,
): AsyncGenerator<StreamedEvent> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stillThere = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), longestSilence);
  };
  stillThere();
  try {
    const response = await open(AbortSignal.any([signal, silence.signal]));
    for await (const { id, type, data } of serverEvents(response, stillThere)) {
      yield { id, event: { type, data: JSON.parse(data) } as StreamedEvent["event"] };
    }
  } finally {
    clearTimeout(timer);
  }
}
