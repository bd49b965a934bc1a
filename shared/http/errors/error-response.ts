import type { Route } from "../../api/define-route.ts";
import type { ServiceError } from "../../lib/errors.ts";
import type { RequestHeaders } from "../../lib/request-headers.ts";
import { errorPageResponse, type HttpResponse, problemResponse } from "./problems.ts";

/**
 * Returns true if a route serves HTML and the client names `text/html` explicitly, as browsers do. API clients accept a
 * wildcard or JSON.
 */
const wantsPage = ({ mediaTypes }: Pick<Route, "mediaTypes">, { accept = "" }: RequestHeaders) =>
  accept.includes("text/html") && mediaTypes?.includes("text/html") === true;

/** Renders an error as an HTML page for browsers on routes that serve HTML, and otherwise as an RFC 9457 problem. */
export function errorResponse(
  route: Pick<Route, "mediaTypes">,
  headers: RequestHeaders,
  error: ServiceError,
  requestId: string,
): HttpResponse {
  return wantsPage(route, headers) ? errorPageResponse(error, requestId) : problemResponse(error, requestId);
}
