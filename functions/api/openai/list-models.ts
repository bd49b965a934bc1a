import { listModels } from "#shared/api/openai/openai.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { listEmbeddingModels, toModel } from "#shared/openai/model.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { listEndpoints } from "#shared/personas/endpoint-store.ts";
import { allowsEndpoint } from "#shared/tenancy/key-scopes.ts";

export const handler = endpoint(
  listModels,
  async ({ principal }) => {
    const endpoints = await listEndpoints(principal);
    const allowed = endpoints.filter(({ slug }) => allowsEndpoint(principal.scopes, slug));
    const models = await Promise.all(allowed.map((each) => toModel(principal, each)));
    return { object: "list" as const, data: [...models, ...listEmbeddingModels()] };
  },
  openaiFormat,
);
