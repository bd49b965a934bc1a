import { setTimeout as sleep } from "node:timers/promises";
import { log } from "../../lib/log.ts";
import { requestToolServer } from "../request-tool-server.ts";
import type { CallQuestions, WaitingStream } from "./call-questions.ts";
import { type Exchange, notify, openServerStream } from "./exchange.ts";
import { rpcCodes } from "./protocol.ts";

/** Timeout of the messages with which the client cancels a request or ends a session. */
const FAREWELL_TIMEOUT_MS = 1_500;

type Connection = Pick<Exchange, "url" | "headers">;

/** Call during which a server sends messages: in the response to the call, or in the session's stream for other messages. */
interface MessagePlace {
  readonly onProgress?: ((message: string) => void) | undefined;
  /** Questions of the call; null if no user can answer. */
  readonly questions?: CallQuestions | null | undefined;
  /** Position for resuming the call; null in the stateless revision, in which servers send no requests. */
  readonly stream: Pick<WaitingStream, "version" | "session" | "call_id"> | null;
}

/**
 * Returns the handler of a server's progress notifications and requests. It answers questions and `ping`, and rejects
 * other requests.
 */
export const receiver =
  (exchange: Omit<Exchange, "onMessage">, place: MessagePlace): Exchange["onMessage"] =>
  (message, lastEventId) => {
    const { onProgress, questions, stream } = place;
    const { id, method, params } = message;
    if (method === "notifications/progress") {
      const { message: text, progress, total } = (params ?? {}) as Readonly<Record<string, unknown>>;
      onProgress?.(typeof text === "string" ? text : [progress, total].filter(Number.isFinite).join(" / "));
    }
    if (method === undefined || id === undefined || id === null || !stream) return;
    const canResume = lastEventId !== null && stream.session !== "";
    const waiting = canResume ? { ...stream, last_event_id: lastEventId, request_id: id } : null;
    const result =
      method === "elicitation/create" ? questions?.answer(message, waiting) : method === "ping" ? {} : null;
    const refusal = { code: rpcCodes.methodNotFound, message: "This client does not support the method." };
    notify(result ? { id, result } : { id, error: refusal }, exchange).catch((error: unknown) =>
      log.info("request of tool server not answered", { error }),
    );
  };

/** Maximum time to wait until the stream is open. Few servers use it. */
const LISTEN_TIMEOUT_MS = 1_000;

/**
 * Opens the stream on which some servers ask questions outside of a call's response.
 * @param calls calls whose user can answer; a question on this stream does not name its call, so it is only answered if
 * there is one call
 */
export async function listen(exchange: Omit<Exchange, "onMessage">, calls: ReadonlySet<CallQuestions>): Promise<void> {
  const place = {
    get questions() {
      return calls.size === 1 ? ([...calls][0] ?? null) : null;
    },
    // The answer continues no stream, because the question is not on that of its call.
    stream: { version: "", session: "", call_id: 0 },
  };
  const opened = openServerStream({ ...exchange, onMessage: receiver(exchange, place) });
  await Promise.race([opened, sleep(LISTEN_TIMEOUT_MS, undefined, { ref: false })]);
}

/** Asks the server to cancel a request, without waiting for a response. Errors are only logged. */
export function cancelRequest(requestId: number, connection: Connection): void {
  const signal = AbortSignal.timeout(FAREWELL_TIMEOUT_MS);
  const message = { method: "notifications/cancelled", params: { requestId, reason: "The client stopped waiting." } };
  notify(message, { ...connection, signal }).catch((error: unknown) =>
    log.info("call of tool not canceled", { error }),
  );
}

/** Asks the server to end a session. Errors are only logged. */
export async function endMcpSession({ url, headers }: Connection): Promise<void> {
  const signal = AbortSignal.timeout(FAREWELL_TIMEOUT_MS);
  try {
    const { body } = await requestToolServer(url, { method: "DELETE", headers, signal });
    body.destroy();
  } catch (error) {
    log.info("session of tool server not ended", { error });
  }
}
