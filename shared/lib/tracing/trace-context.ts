import { AsyncLocalStorage } from "node:async_hooks";
import { sha256Bytes } from "../hash.ts";

/** Ids that connect the log lines, queue messages and spans of one request. */
export interface TraceContext {
  readonly request_id: string;
  /** Trace context of the W3C: `00-<trace id>-<parent id>-<flags>`. */
  readonly traceparent: string;
}

const storage = new AsyncLocalStorage<TraceContext>();

const traceparentPattern = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/**
 * Returns the trace context of a request: the caller's `traceparent` if it is valid, otherwise a derived one.
 * @param seed unique id of the request, from which the authorizer and the function derive the same trace; callers may repeat
 * their own request ids
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function toTraceContext(requestId: string, traceparent: unknown, seed = requestId): TraceContext {
  if (typeof traceparent === "string" && traceparentPattern.test(traceparent)) {
    return { request_id: requestId, traceparent };
  }
  return { request_id: requestId, traceparent: deriveTraceparent(toHex(seed).slice(0, 32)) };
}

const toHex = (text: string) => sha256Bytes(text).toString("hex");

const deriveTraceparent = (traceId: string) => `00-${traceId}-${toHex(traceId).slice(0, 16)}-01`;

/**
 * Returns true if the service derived the trace context because the caller sent none. Its parent id then belongs to no span.
 */
export const isDerivedTrace = (traceparent: string): boolean =>
  traceparent === deriveTraceparent(traceparent.split("-")[1] ?? "");

/** Attributes of an item from which `toTraceContext` restores a trace context. */
interface StoredTrace {
  readonly request_id: string;
  /** Absent if it is the one that is derived from the request id, because each byte of a hot item can cost a write unit. */
  readonly traceparent?: string;
}

/** Returns the attributes with which an item stores the current trace context, or undefined without one. */
export function findStoredTrace(): StoredTrace | undefined {
  const trace = findTraceContext();
  const isDerived = trace && toTraceContext(trace.request_id, undefined).traceparent === trace.traceparent;
  return isDerived ? { request_id: trace.request_id } : trace;
}

/** Returns the trace context of the current asynchronous call chain, or undefined. */
export const findTraceContext = (): TraceContext | undefined => storage.getStore();

/** Runs work in a trace context, or without one if it is undefined. */
export function runInTraceContext<Result>(trace: TraceContext | undefined, work: () => Result): Result {
  return trace ? storage.run(trace, work) : storage.exit(work);
}

/** Sets the trace context for the rest of the current asynchronous function. */
export function enterTraceContext(trace: TraceContext): void {
  storage.enterWith(trace);
}

/**
 * Returns the trace id of a run: that of the request that started it, or the run's id without hyphens if no trace was stored.
 */
export const traceIdOfRun = ({ message_id, traceparent }: { message_id: string; traceparent?: string | undefined }) =>
  traceparent?.split("-")[1] ?? message_id.replaceAll("-", "");
