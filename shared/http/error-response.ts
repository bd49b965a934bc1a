import type { ServiceError } from "../errors.ts";
import { openaiErrorResponse } from "./openai-errors.ts";
import { type HttpResponse, problemResponse } from "./problems.ts";

/** An error in the words of the surface it belongs to: OpenAI's under `/openai`, a problem everywhere else. */
export function errorResponse(path: string, error: ServiceError, requestId: string): HttpResponse {
  return path.startsWith("/openai/") ? openaiErrorResponse(error) : problemResponse(error, requestId);
}
