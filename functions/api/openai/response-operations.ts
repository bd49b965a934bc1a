import {
  cancelResponseRoute,
  countResponseTokensRoute,
  listResponseItemsRoute,
} from "#shared/api/openai/response-operations.ts";
import type { ResponseRequest } from "#shared/api/openai/responses.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { notFound, ServiceError } from "#shared/lib/errors.ts";
import { cancelCompletion } from "#shared/openai/completions/completion-cancellation.ts";
import { estimateRequest } from "#shared/openai/estimate-request.ts";
import { getEndpoint } from "#shared/openai/model.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { resolveInput } from "#shared/openai/responses/compaction.ts";
import { getHistory } from "#shared/openai/responses/continued-conversation.ts";
import { toItemPage, toItems, toListedItem } from "#shared/openai/responses/items.ts";
import { toCanceledResponse } from "#shared/openai/responses/response-object.ts";
import { getResponseInput, isStoredResponse } from "#shared/openai/responses/response-store.ts";
import { responseToChatRequest } from "#shared/openai/responses/response-to-chat-request.ts";

export const cancelResponseHandler = endpoint(
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

export const countResponseTokensHandler = endpoint(
  countResponseTokensRoute,
  async ({ principal, body }) => {
    const [input, history, endpoint] = await Promise.all([
      resolveInput(principal, body.input),
      getHistory(principal, body),
      body.model ? getEndpoint(principal, body.model) : null,
    ]);
    const request = responseToChatRequest({ ...body, input, model: "", stream: false, truncation: null }, history);
    return {
      object: "response.input_tokens" as const,
      input_tokens: estimateRequest(endpoint?.instructions ?? "", request),
    };
  },
  openaiFormat,
);

export const listResponseItemsHandler = endpoint(
  listResponseItemsRoute,
  async ({ principal, params, query }) => {
    const { messages, response } = await getResponseInput(principal, params.id);
    const items = toItems(messages, response as Pick<ResponseRequest, "tools">);
    const place = params.id.slice("resp_".length);
    return toItemPage(
      items.map((item, index) => toListedItem(item, `${place}_input${index}`)),
      query,
    );
  },
  openaiFormat,
);
