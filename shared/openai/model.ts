import type { ApiKeyPrincipal } from "../auth/principal.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { inputsOf } from "../models/capabilities.ts";
import { selectModel } from "../models/model.ts";
import { getModel, listModelNames } from "../models/model-table.ts";
import { findEmbeddingModel } from "../models/request-embeddings.ts";
import { type Endpoint, findEndpoint } from "../personas/endpoint-store.ts";
import { findTenantModel, toModelProperties } from "../personas/tenant-model-store.ts";
import { allowsEndpoint } from "../tenancy/key-scopes.ts";
import { ModelNotFound } from "./openai-error.ts";

/**
 * Converts a persona's endpoint to OpenAI's model object. Its context window and input kinds are those of the persona's
 * model.
 * @param name name by which the caller knows the endpoint; that of the endpoint by default
 */
export async function toModel(
  scope: TenantScope,
  { slug, alias = slug, published_at, ...preference }: Endpoint,
  name = alias,
) {
  const { model } = preference;
  const own = model === null || listModelNames().includes(model) ? undefined : await findTenantModel(scope, model);
  const properties = own ? toModelProperties(own) : getModel(selectModel(preference));
  return {
    id: name,
    object: "model" as const,
    created: Math.floor(Date.parse(published_at) / 1_000),
    owned_by: "organization",
    capabilities: { input: ["text" as const, ...inputsOf(properties)], context_window: properties.contextTokens },
  };
}

/**
 * Returns the embedding model as OpenAI's model object; an empty list if none is configured. Open WebUI requests
 * embeddings only from models in this list.
 */
export function listEmbeddingModels() {
  const id = findEmbeddingModel();
  if (id === null) return [];
  const capabilities = { input: ["text" as const], context_window: null };
  // The provider does not say when the model was created.
  return [{ id, object: "model" as const, created: 0, owned_by: "organization", capabilities }];
}

/**
 * Returns the persona's endpoint that answers the model which a request names.
 * @throws ServiceError `not_found`, also for a disabled endpoint and one that the key may not use
 */
export async function getEndpoint(principal: ApiKeyPrincipal, model: string): Promise<Endpoint> {
  const endpoint = await findEndpoint(principal, model);
  if (!endpoint || !allowsEndpoint(principal.scopes, endpoint.slug)) throw new ModelNotFound(model);
  return endpoint;
}
