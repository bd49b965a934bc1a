import type { EmbedSession } from "../../../shared/api/embed/embed.ts";
import type { EmbedAttachment } from "../../../shared/api/embed/embed-attachments.ts";
import type { EmbedMessage } from "../../../shared/api/embed/embed-message.ts";
import type { EmbedHandover } from "../../../shared/api/embed/handovers.ts";
import type { VisitorInput } from "../../../shared/api/embed/visitor-form.ts";
import { uploadFile } from "../../../shared/client/attach-file.ts";
import { newIdempotencyKey } from "../../../shared/client/retry.ts";
import { toJson } from "../../../shared/client/to-json.ts";
import type { ConnectionEvent, PublicEvent } from "../../../shared/runs/events.ts";
import { serverEvents } from "./event-source.ts";

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** Seconds after which to retry; 0 if the service does not specify it. */
  readonly retryAfterSeconds: number;
  /** Sentence for users, in English; empty if the service sent none. */
  readonly detail: string;

  constructor(response: Response, code: string, detail = "") {
    super(code);
    this.detail = detail;
    this.status = response.status;
    this.code = code;
    this.retryAfterSeconds = Number(response.headers.get("retry-after") ?? 0);
  }
}

/** Message that the service stored for a person, so that no reply follows. */
interface HeldEvent {
  readonly type: "held";
  readonly data: EmbedMessage;
}

/** Event of a stream with its SSE event id, after which the stream can be resumed. */
export interface StreamedEvent {
  readonly id: string | undefined;
  readonly event: PublicEvent | ConnectionEvent | HeldEvent;
}

/** Identity of the visitor, as provided by the website. */
export interface Visitor {
  readonly id: string;
  readonly signature?: string;
  readonly token?: string;
}

interface ApiOptions {
  readonly baseUrl: string;
  readonly embedKey: string;
  readonly visitor: Visitor | null;
}

/** Silence after which a stream counts as broken. The service sends data at least every ten seconds. */
const maxSilenceMs = 25_000;

/** Message of a visitor, with the ids of its files. */
interface OutgoingMessage {
  readonly content: string;
  readonly attachments?: readonly string[];
}

/** Timeout of requests that do not stream. */
const requestTimeoutMs = 20_000;

/** Client of the embed API. */
export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  /**
   * Starts a session, or resumes the given one.
   * @param form what the visitor entered before the chat; null for none
   */
  async start(sessionId: string | null, form: VisitorInput | null): Promise<EmbedSession> {
    const { visitor } = this.#options;
    const body = {
      ...(sessionId ? { session_id: sessionId } : { page: location.origin + location.pathname }),
      ...(visitor && { visitor }),
      ...(form && !sessionId && { form }),
    };
    const response = await this.#post("", body, newIdempotencyKey(), AbortSignal.timeout(requestTimeoutMs));
    return response.json();
  }

  async read(sessionId: string): Promise<EmbedSession> {
    return (await this.#fetch(sessionId, { signal: AbortSignal.timeout(requestTimeoutMs) })).json();
  }

  /** Sends a message and streams the reply. A retry with the same key resumes the reply. */
  async *send(
    sessionId: string,
    message: OutgoingMessage,
    key: string,
    signal: AbortSignal,
  ): AsyncGenerator<StreamedEvent> {
    yield* streamEvents((streamSignal) => this.#post(`${sessionId}/messages`, message, key, streamSignal), signal);
  }

  /** Uploads a file and waits until the service has read it. */
  attach(sessionId: string, file: File, signal: AbortSignal): Promise<EmbedAttachment> {
    const path = `${sessionId}/attachments`;
    return uploadFile(
      {
        create: async (body) => (await this.#post(path, body, newIdempotencyKey(), signal)).json(),
        read: async (id): Promise<EmbedAttachment> => (await this.#fetch(`${path}/${id}`, { signal })).json(),
      },
      file,
      { signal },
    );
  }

  /** Resumes the stream of a reply after the last received event. */
  async *resume(
    sessionId: string,
    messageId: string,
    lastEventId: string | null,
    signal: AbortSignal,
  ): AsyncGenerator<StreamedEvent> {
    const headers: Record<string, string> = lastEventId ? { "last-event-id": lastEventId } : {};
    const path = `${sessionId}/messages/${messageId}/stream`;
    yield* streamEvents((streamSignal) => this.#fetch(path, { headers, signal: streamSignal }), signal);
  }

  /** Reads the hand-over to a person, and the messages after a known one. */
  async readHandover(
    sessionId: string,
    after: string | undefined,
  ): Promise<{ readonly handover: EmbedHandover | null; readonly messages: readonly EmbedMessage[] }> {
    const path = `${sessionId}/handover${after ? `?after=${after}` : ""}`;
    return (await this.#fetch(path, { signal: AbortSignal.timeout(requestTimeoutMs) })).json();
  }

  /** Asks for a person, or leaves an address for an answer. */
  async requestHandover(sessionId: string, contactEmail?: string): Promise<EmbedHandover> {
    const response = await this.#fetch(`${sessionId}/handover`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: toJson(contactEmail ? { contact_email: contactEmail } : {}),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    return response.json();
  }

  /** Goes back to the assistant. */
  async endHandover(sessionId: string): Promise<void> {
    await this.#fetch(`${sessionId}/handover`, { method: "DELETE", signal: AbortSignal.timeout(requestTimeoutMs) });
  }

  /** Asks for the conversation by e-mail. */
  async requestTranscript(sessionId: string, email: string): Promise<void> {
    const signal = AbortSignal.timeout(requestTimeoutMs);
    await this.#post(`${sessionId}/transcript`, { email }, newIdempotencyKey(), signal);
  }

  /** Answers whether the assistant may call a tool. */
  async decide(sessionId: string, approvalId: string, decision: "approve" | "deny"): Promise<void> {
    const signal = AbortSignal.timeout(requestTimeoutMs);
    await this.#post(`${sessionId}/approvals/${approvalId}/confirm`, { decision }, newIdempotencyKey(), signal);
  }

  async stop(sessionId: string, messageId: string): Promise<void> {
    await this.#fetch(`${sessionId}/messages/${messageId}/stop`, { method: "POST" });
  }

  /** Rates a reply; a further rating replaces the first. */
  async rate(sessionId: string, messageId: string, rating: "up" | "down"): Promise<void> {
    const signal = AbortSignal.timeout(requestTimeoutMs);
    await this.#post(`${sessionId}/messages/${messageId}/feedback`, { rating }, newIdempotencyKey(), signal);
  }

  /** Checks reachability without reading the response, which works even if the page's origin is not allowed. */
  async isReachable(): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(requestTimeoutMs);
      await fetch(`${this.#options.baseUrl}/health`, { mode: "no-cors", cache: "no-store", signal });
      return true;
    } catch {
      return false;
    }
  }

  #post(path: string, body: object, key: string, signal: AbortSignal): Promise<Response> {
    const headers = { "content-type": "application/json", "idempotency-key": key };
    return this.#fetch(path, { method: "POST", headers, body: toJson(body), signal });
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
    throw new ApiError(response, String(problem.code ?? "internal_error"), String(problem.detail ?? ""));
  }
}

/** Yields the events of a stream. Aborts when the stream is silent for too long. */
async function* streamEvents(
  open: (signal: AbortSignal) => Promise<Response>,
  signal: AbortSignal,
): AsyncGenerator<StreamedEvent> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const resetSilenceTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), maxSilenceMs);
  };
  resetSilenceTimer();
  try {
    const response = await open(AbortSignal.any([signal, silence.signal]));
    if (response.status === 202) {
      yield { id: undefined, event: { type: "held", data: await response.json() } };
      return;
    }
    for await (const { id, type, data } of serverEvents(response, resetSilenceTimer)) {
      yield { id, event: { type, data: JSON.parse(data) } as StreamedEvent["event"] };
    }
  } finally {
    clearTimeout(timer);
  }
}
