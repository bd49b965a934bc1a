import { countResponseTokensRoute } from "#shared/api/openai/response-operations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { estimateRequest } from "#shared/openai/estimate-request.ts";
import { getEndpoint } from "#shared/openai/model.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { resolveInput } from "#shared/openai/responses/compaction.ts";
import { getHistory } from "#shared/openai/responses/continued-conversation.ts";
import { responseToChatRequest } from "#shared/openai/responses/response-to-chat-request.ts";

export const handler = endpoint(
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
