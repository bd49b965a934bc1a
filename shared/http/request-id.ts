const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the caller's `x-request-id` if it is valid, otherwise the gateway's request id. */
export function resolveRequestId(callerRequestId: string | undefined, gatewayRequestId: string): string {
  return callerRequestId !== undefined && requestIdPattern.test(callerRequestId) ? callerRequestId : gatewayRequestId;
}
