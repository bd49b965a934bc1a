import { newId } from "../lib/ids.ts";
import { type TraceContext, toTraceContext } from "../lib/tracing/trace-context.ts";

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the caller's `x-request-id` if it is valid, otherwise the gateway's request id. */
export function resolveRequestId(callerRequestId: string | undefined, gatewayRequestId: string): string {
  return callerRequestId !== undefined && requestIdPattern.test(callerRequestId) ? callerRequestId : gatewayRequestId;
}

/** Fields of the events of API Gateway and of function URLs that identify a request. */
interface IdentifiedEvent {
  readonly headers?: Readonly<Record<string, string | undefined>> | null;
  readonly requestContext?: { readonly requestId?: string | undefined } | undefined;
}

/** Returns the trace context of an event. Header names have the case that the caller sent. */
export function readTraceContext({ headers, requestContext }: IdentifiedEvent): TraceContext {
  const find = (name: string) => Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
  // Emulators of AWS leave the id out of the events of authorizers.
  const requestId = requestContext?.requestId ?? newId();
  return toTraceContext(resolveRequestId(find("x-request-id"), requestId), find("traceparent"), requestId);
}
