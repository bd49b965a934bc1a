import { setTimeout as sleep } from "node:timers/promises";
import { log } from "../../lib/log.ts";
import { requestToolServer } from "../request-tool-server.ts";
import type { CallQuestions, WaitingStream } from "./call-questions.ts";
import { type Exchange, notify, openStream } from "./exchange.ts";
import { rpcCodes } from "./protocol.ts";

/** Time for messages that the client does not wait for longer: cancellation and the end of a session. */
const FAREWELL_TIMEOUT_MS = 1_500;

type Connection = Pick<Exchange, "url" | "headers">;

/** Call that messages of a server belong to. */
export interface MessagePlace {
  readonly onProgress?: ((message: string) => void) | undefined;
  /** Null if the user cannot answer questions. */
  readonly questions?: CallQuestions | null | undefined;
  /** Null in the revision without sessions, in which servers send no requests. */
  readonly stream: Pick<WaitingStream, "version" | "session" | "call_id"> | null;
}

/** Returns the handler of a server's messages that are not responses: progress, and requests, of which most are refused. */
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

/** Time to wait for the stream of a server's own requests, which few servers need. */
const LISTEN_TIMEOUT_MS = 1_000;

/**
 * Opens the stream on which some servers ask their questions, if the server has one.
 * @param calls calls whose user can answer; a question on this stream does not name its call
 */
export async function listen(exchange: Omit<Exchange, "onMessage">, calls: ReadonlySet<CallQuestions>): Promise<void> {
  const place = {
    get questions() {
      return calls.size === 1 ? ([...calls][0] ?? null) : null;
    },
    // The answer continues no stream, because the question is not on that of its call.
    stream: { version: "", session: "", call_id: 0 },
  };
  const opened = openStream({ ...exchange, onMessage: receiver(exchange, place) });
  await Promise.race([opened, sleep(LISTEN_TIMEOUT_MS, undefined, { ref: false })]);
}

/** Cancels a request. Errors are logged only. */
export function cancelRequest(requestId: number, connection: Connection): void {
  const signal = AbortSignal.timeout(FAREWELL_TIMEOUT_MS);
  const message = { method: "notifications/cancelled", params: { requestId, reason: "The client stopped waiting." } };
  notify(message, { ...connection, signal }).catch((error: unknown) =>
    log.info("call of tool not canceled", { error }),
  );
}

/** Ends a session. Errors are logged only. */
export async function endSession({ url, headers }: Connection): Promise<void> {
  const signal = AbortSignal.timeout(FAREWELL_TIMEOUT_MS);
  try {
    const { body } = await requestToolServer(url, { method: "DELETE", headers, signal });
    body.destroy();
  } catch (error) {
    log.info("session of tool server not ended", { error });
  }
}
