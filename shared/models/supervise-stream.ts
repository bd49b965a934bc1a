import { ServiceError } from "../lib/errors.ts";
import { linkSignal } from "../lib/link-signal.ts";
import { providerError } from "./provider-error.ts";

/** Timeouts of a provider's stream. `open-stream.ts` has their values. */
export interface StreamTimeouts {
  /** Time until the first part of an answer, reasoning included. */
  readonly firstTokenMs: number;
  /** Time between two parts. */
  readonly idleMs: number;
}

/** Creates the error for a provider stream that was cut off. */
export const connectionLost = () => new ServiceError("unavailable", "The connection to the language model was lost.");

/** Time within which the caller must read the first part: an unread stream is closed then. */
const MAX_START_MS = 60_000;

/** Connection to a provider that delivers the parts of one answer. */
export interface PartSource<Part> {
  /** Parts in order; throws the provider's error. */
  readonly parts: { next(): Promise<IteratorResult<Part, unknown>> };
  /** Closes the connection, and lets a pending `parts.next()` settle. May be called several times. */
  close(): Promise<void> | void;
}

/**
 * Opens a stream and waits for the first part of its answer, with timeouts and cancellation.
 * @param open opens the connection; `signal` is aborted at a timeout and when the caller cancels
 * @param isAnswerPart whether a part belongs to the answer itself; throws if the answer is unusable
 * @returns all parts; throws like this function
 * @throws ServiceError as `providerError` returns it; the abort reason if `callerSignal` is aborted
 */
export async function superviseStream<Part>(
  open: (signal: AbortSignal) => Promise<PartSource<Part>>,
  isAnswerPart: (part: Part) => boolean,
  { firstTokenMs, idleMs }: StreamTimeouts,
  callerSignal: AbortSignal | undefined,
): Promise<AsyncGenerator<Part, void>> {
  const { controller, unlink } = linkSignal(callerSignal);
  const { signal } = controller;
  /** Time of `performance.now` at which the next part is late; infinite while the caller processes a part. */
  let deadline = performance.now() + firstTokenMs;
  // One interval timer checks all parts and fires up to 5 % late, because a timer per part would cost more than processing
  // the part.
  const timer = setInterval(
    () => {
      if (performance.now() < deadline) return;
      controller.abort(new ServiceError("timeout", "The language model did not answer in time."));
    },
    Math.max(1, Math.min(firstTokenMs, idleMs) / 20),
  );
  timer.unref();
  let source: PartSource<Part> | undefined;
  const close = async () => {
    clearInterval(timer);
    unlink();
    signal.removeEventListener("abort", close);
    await source?.close();
  };
  signal.addEventListener("abort", close, { once: true });
  const toFailure = (error: unknown) =>
    callerSignal?.aborted ? callerSignal.reason : providerError(signal.aborted ? signal.reason : error);
  const first: Part[] = [];
  try {
    signal.throwIfAborted();
    source = await open(signal);
    const { parts } = source;
    signal.throwIfAborted();
    for (let next = await parts.next(); !next.done; next = await parts.next()) {
      signal.throwIfAborted();
      first.push(next.value);
      if (isAnswerPart(next.value)) break;
    }
    signal.throwIfAborted();
    deadline = performance.now() + MAX_START_MS;
    return readAll(parts);
  } catch (error) {
    const failure = toFailure(error);
    await close();
    throw failure;
  }

  async function* readAll(parts: PartSource<Part>["parts"]): AsyncGenerator<Part, void> {
    try {
      deadline = Number.POSITIVE_INFINITY;
      yield* first;
      for (;;) {
        deadline = performance.now() + idleMs;
        const { done, value } = await parts.next();
        signal.throwIfAborted();
        if (done) return;
        deadline = Number.POSITIVE_INFINITY;
        yield value;
      }
    } catch (error) {
      throw toFailure(error);
    } finally {
      await close();
    }
  }
}
