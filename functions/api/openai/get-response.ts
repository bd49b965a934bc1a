import { getResponseRoute } from "#shared/api/openai/responses.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { getResponse } from "#shared/openai/responses/response-store.ts";

export const handler = endpoint(
  getResponseRoute,
  ({ principal, params }) => getResponse(principal, params.id),
  openaiFormat,
);
