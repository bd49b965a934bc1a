import { isOpenaiRoute, type Route } from "../../api/define-route.ts";
import { RouteNotFound, type ServiceError } from "../../lib/errors.ts";
import type { RequestHeaders } from "../../lib/request-headers.ts";
import { findReplacement } from "../../openai/unoffered-paths.ts";
import { openaiErrorResponse } from "./openai-error-response.ts";
import { errorPageResponse, type HttpResponse, problemResponse } from "./problems.ts";

/** Browsers name `text/html` explicitly; API clients send a wildcard or JSON. */
const wantsPage = ({ mediaTypes }: Pick<Route, "mediaTypes">, { accept = "" }: RequestHeaders) =>
  accept.includes("text/html") && mediaTypes?.includes("text/html") === true;

/**
 * Renders an error in the format of the requested API: OpenAI's format on OpenAI-compatible routes, an HTML page where
 * the route serves pages and the client asks for one, and an RFC 9457 problem otherwise.
 */
export function errorResponse(
  route: Pick<Route, "path" | "mediaTypes">,
  headers: RequestHeaders,
  error: ServiceError,
  requestId: string,
): HttpResponse {
  if (isOpenaiRoute(route)) {
    const isUnoffered = error instanceof RouteNotFound;
    return openaiErrorResponse(isUnoffered ? new RouteNotFound(findReplacement(route.path)) : error);
  }
  return wantsPage(route, headers) ? errorPageResponse(error, requestId) : problemResponse(error, requestId);
}
