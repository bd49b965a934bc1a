import { cancelChatCompletionRoute, getModelRoute, listModelsRoute } from "#shared/api/openai/openai.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { cancelCompletion } from "#shared/openai/completions/completion-cancellation.ts";
import { commonFormat, isAnthropicClient } from "#shared/openai/messages/anthropic-error.ts";
import { toModelInfo, toModelPage } from "#shared/openai/messages/model-info.ts";
import { getEndpoint, listEmbeddingModels, toModel } from "#shared/openai/model.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { listEndpoints } from "#shared/personas/endpoint-store.ts";
import { allowsEndpoint } from "#shared/tenancy/key-scopes.ts";

export const cancelChatCompletionHandler = endpoint(
  cancelChatCompletionRoute,
  async ({ principal, params }) => {
    await cancelCompletion(principal, params.id);
    return { id: params.id, object: "chat.completion.cancellation" as const, status: "requested" as const };
  },
  openaiFormat,
);

export const getModelHandler = endpoint(
  getModelRoute,
  async ({ principal, params, headers }) => {
    if (isAnthropicClient(headers)) {
      const found = await getEndpoint(principal, params.id);
      return toModelInfo(await toModel(principal, found, params.id), found);
    }
    const embeddingModel = listEmbeddingModels().find(({ id }) => id === params.id);
    return embeddingModel ?? toModel(principal, await getEndpoint(principal, params.id), params.id);
  },
  commonFormat,
);

export const listModelsHandler = endpoint(
  listModelsRoute,
  async ({ principal, headers }) => {
    const endpoints = await listEndpoints(principal);
    const allowed = endpoints.filter(({ slug }) => allowsEndpoint(principal.scopes, slug));
    const models = await Promise.all(allowed.map((each) => toModel(principal, each)));
    if (isAnthropicClient(headers)) return toModelPage(models, allowed);
    return { object: "list" as const, data: [...models, ...listEmbeddingModels()] };
  },
  commonFormat,
);
