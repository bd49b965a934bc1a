import { deleteResponseRoute, getResponseRoute } from "#shared/api/openai/responses.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { deleteResponse, getResponse } from "#shared/openai/responses/response-store.ts";

export const deleteResponseHandler = endpoint(
  deleteResponseRoute,
  async ({ principal, params }) => {
    await deleteResponse(principal, params.id);
    return { id: params.id, object: "response" as const, deleted: true as const };
  },
  openaiFormat,
);

export const getResponseHandler = endpoint(
  getResponseRoute,
  ({ principal, params }) => getResponse(principal, params.id),
  openaiFormat,
);
