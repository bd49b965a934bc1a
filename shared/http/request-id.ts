const callerRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** The id a request goes by: the caller's `x-request-id` where it is one, else the gateway's. */
export function resolveRequestId(given: string | undefined, gatewayRequestId: string): string {
  return given !== undefined && callerRequestId.test(given) ? given : gatewayRequestId;
}
