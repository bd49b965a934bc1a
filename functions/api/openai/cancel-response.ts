import { cancelResponseRoute } from "#shared/api/openai/response-operations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { notFound, ServiceError } from "#shared/lib/errors.ts";
import { cancelCompletion } from "#shared/openai/completions/completion-cancellation.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { toCanceledResponse } from "#shared/openai/responses/response-object.ts";
import { isStoredResponse } from "#shared/openai/responses/response-store.ts";

export const handler = endpoint(
  cancelResponseRoute,
  async ({ principal, params: { id } }) => {
    if (!id.startsWith("resp_")) throw notFound();
    if (await isStoredResponse(principal, id)) {
      throw new ServiceError("conflict", "The response is complete and cannot be canceled.");
    }
    await cancelCompletion(principal, id);
    return toCanceledResponse(id);
  },
  openaiFormat,
);
