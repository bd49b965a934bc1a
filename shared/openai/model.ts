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

/** Converts an endpoint to OpenAI's model schema. */
export async function toModel(scope: TenantScope, { slug, published_at, ...preference }: Endpoint) {
  const { model } = preference;
  const own = model === null || listModelNames().includes(model) ? undefined : await findTenantModel(scope, model);
  const properties = own ? toModelProperties(own) : getModel(selectModel(preference));
  return {
    id: slug,
    object: "model" as const,
    created: Math.floor(Date.parse(published_at) / 1_000),
    owned_by: "organization",
    capabilities: { input: ["text" as const, ...inputsOf(properties)], context_window: properties.contextTokens },
  };
}

/**
 * Returns the embedding model in OpenAI's model schema, or nothing if none is configured. Open WebUI sends requests for
 * embeddings only to models that the list contains.
 */
export function listEmbeddingModels() {
  const id = findEmbeddingModel();
  if (id === null) return [];
  const capabilities = { input: ["text" as const], context_window: null };
  // The provider does not say when the model was created.
  return [{ id, object: "model" as const, created: 0, owned_by: "organization", capabilities }];
}

/**
 * Returns the endpoint that a key addresses as a model.
 * @throws ServiceError `not_found`, the same for an unknown or disabled endpoint and one that the key may not use
 */
export async function getEndpoint(principal: ApiKeyPrincipal, slug: string): Promise<Endpoint> {
  const endpoint = allowsEndpoint(principal.scopes, slug) ? await findEndpoint(principal, slug) : undefined;
  if (!endpoint) throw new ModelNotFound(slug);
  return endpoint;
}
