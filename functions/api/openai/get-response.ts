import { getResponse } from "#shared/api/openai/responses.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import * as responses from "#shared/openai/responses/response-store.ts";

export const handler = endpoint(
  getResponse,
  ({ principal, params }) => responses.getResponse(principal, params.id),
  openaiFormat,
);
