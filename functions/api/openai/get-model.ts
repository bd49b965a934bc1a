import { getModelRoute } from "#shared/api/openai/openai.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { commonFormat, isAnthropicClient } from "#shared/openai/messages/anthropic-error.ts";
import { toModelInfo } from "#shared/openai/messages/model-info.ts";
import { getEndpoint, listEmbeddingModels, toModel } from "#shared/openai/model.ts";

export const handler = endpoint(
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
