import { getModel } from "#shared/api/openai/openai.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getEndpoint, listEmbeddingModels, toModel } from "#shared/openai/model.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";

export const handler = endpoint(
  getModel,
  async ({ principal, params }) => {
    const embeddingModel = listEmbeddingModels().find(({ id }) => id === params.id);
    return embeddingModel ?? toModel(principal, await getEndpoint(principal, params.id));
  },
  openaiFormat,
);
