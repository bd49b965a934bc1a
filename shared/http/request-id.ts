import { newId } from "../lib/ids.ts";
import { type TraceContext, toTraceContext } from "../lib/tracing/trace-context.ts";

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Returns the caller's `x-request-id` if it has at most 128 letters, digits and `._-`; otherwise the gateway's request
 * id.
 */
export function resolveRequestId(callerRequestId: string | undefined, gatewayRequestId: string): string {
  return callerRequestId !== undefined && requestIdPattern.test(callerRequestId) ? callerRequestId : gatewayRequestId;
}

/** Fields of API Gateway and function URL events that identify a request. */
interface IdentifiedEvent {
  readonly headers?: Readonly<Record<string, string | undefined>> | null;
  readonly requestContext?: { readonly requestId?: string | undefined } | undefined;
}

/**
 * Returns the trace context of an event, from its request id and `traceparent` header. Header names are compared
 * without case, because events contain them as the caller sent them.
 */
export function readTraceContext({ headers, requestContext }: IdentifiedEvent): TraceContext {
  const find = (name: string) => Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
  // Emulators of AWS leave the id out of the events of authorizers.
  const requestId = requestContext?.requestId ?? newId();
  return toTraceContext(resolveRequestId(find("x-request-id"), requestId), find("traceparent"), requestId);
}
