import { createEmbeddingRoute } from "#shared/api/openai/embeddings.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { embed } from "#shared/openai/embed.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";

export const createEmbeddingHandler = endpoint(
  createEmbeddingRoute,
  ({ principal, tenant, body }) => embed(principal, tenant, body),
  openaiFormat,
);
