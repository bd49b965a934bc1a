import { listModels } from "#shared/api/openai.ts";
import { modelOf } from "#shared/chat/openai/model.ts";
import { listEndpoints } from "#shared/data/endpoint-store.ts";
import { allowsEndpoint } from "#shared/domain/key-scopes.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listModels, async ({ principal }) => {
  const endpoints = await listEndpoints(principal);
  const allowed = endpoints.filter(({ slug }) => allowsEndpoint(principal.scopes, slug));
  return { object: "list" as const, data: allowed.map(modelOf) };
});
