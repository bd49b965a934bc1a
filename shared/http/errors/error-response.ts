import type { Route } from "../../api/define-route.ts";
import type { ServiceError } from "../../lib/errors.ts";
import type { RequestHeaders } from "../../lib/request-headers.ts";
import { errorPageResponse, type HttpResponse, problemResponse } from "./problems.ts";

/** Browsers name `text/html` explicitly; API clients send a wildcard or JSON. */
const wantsPage = ({ mediaTypes }: Pick<Route, "mediaTypes">, { accept = "" }: RequestHeaders) =>
  accept.includes("text/html") && mediaTypes?.includes("text/html") === true;

/** Renders an error: an HTML page where the route serves pages and the client asks for one, else an RFC 9457 problem. */
export function errorResponse(
  route: Pick<Route, "mediaTypes">,
  headers: RequestHeaders,
  error: ServiceError,
  requestId: string,
): HttpResponse {
  return wantsPage(route, headers) ? errorPageResponse(error, requestId) : problemResponse(error, requestId);
}
