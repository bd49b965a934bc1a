import type { Route } from "../../api/define-route.ts";
import type { ServiceError } from "../../lib/errors.ts";
import type { RequestHeaders } from "../../lib/request-headers.ts";
import { openaiErrorResponse } from "./openai-errors.ts";
import { errorPageResponse, type HttpResponse, problemResponse } from "./problems.ts";

/** Where a browser asks for a page, it asks for it by name. */
const wantsPage = ({ mediaTypes }: Pick<Route, "mediaTypes">, { accept = "" }: RequestHeaders) =>
  accept.includes("text/html") && mediaTypes?.includes("text/html") === true;

/**
 * An error in the words of the surface it belongs to: OpenAI's under `/openai`, a page where people look at pages, a
 * problem everywhere else.
 */
export function errorResponse(
  route: Pick<Route, "path" | "mediaTypes">,
  headers: RequestHeaders,
  error: ServiceError,
  requestId: string,
): HttpResponse {
  if (route.path.startsWith("/openai/")) return openaiErrorResponse(error);
  return wantsPage(route, headers) ? errorPageResponse(error, requestId) : problemResponse(error, requestId);
}
