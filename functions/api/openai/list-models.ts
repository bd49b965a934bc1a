import { listModelsRoute } from "#shared/api/openai/openai.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { commonFormat, isAnthropicClient } from "#shared/openai/messages/anthropic-error.ts";
import { toModelPage } from "#shared/openai/messages/model-info.ts";
import { listEmbeddingModels, toModel } from "#shared/openai/model.ts";
import { listEndpoints } from "#shared/personas/endpoint-store.ts";
import { allowsEndpoint } from "#shared/tenancy/key-scopes.ts";

export const handler = endpoint(
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
