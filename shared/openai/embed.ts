import type { EmbeddingRequest } from "../api/openai/embeddings.ts";
import type { ApiKeyPrincipal } from "../auth/principal.ts";
import { readBudgets } from "../governance/budgets/applied-budgets.ts";
import { returnReservations } from "../governance/budgets/ledger-store.ts";
import { newId } from "../lib/ids.ts";
import { toRefusal } from "../models/provider-refusal.ts";
import {
  type EmbeddingResponse,
  findEmbeddingModel,
  requestEmbeddings,
  toFloats,
} from "../models/request-embeddings.ts";
import { toUsage } from "../models/tokens.ts";
import type { Tenant } from "../tenancy/tenant-store.ts";
import { admitEmbedding } from "./admit-completion.ts";
import { recordCompletion } from "./completions/completion-store.ts";
import { ModelNotFound } from "./openai-error.ts";

type Embedding = EmbeddingResponse["data"][number]["embedding"];

/**
 * Converts an embedding to the requested encoding. Not every provider supports `base64`, which OpenAI's clients
 * request.
 */
function encode(embedding: Embedding, format: "float" | "base64"): Embedding {
  if (format === "base64" && typeof embedding !== "string") {
    return Buffer.from(new Float32Array(embedding).buffer).toString("base64");
  }
  return format === "float" ? Array.from(toFloats(embedding)) : embedding;
}

const toText = (input: EmbeddingRequest["input"]) => (typeof input === "string" ? input : JSON.stringify(input));

/**
 * Creates embeddings with the embedding model and records the usage.
 * @throws ServiceError `not_found` if the requested model is not the embedding model, `quota_exceeded`, or the provider's error
 */
export async function embed(principal: ApiKeyPrincipal, tenant: Tenant, request: EmbeddingRequest) {
  const model = findEmbeddingModel();
  if (model === null) {
    const detail = "No embedding provider is configured. Set EMBEDDING_PROVIDER, EMBEDDING_BASE_URL and EMBEDDING_ID.";
    throw new ModelNotFound(request.model, detail);
  }
  if (request.model !== model) throw new ModelNotFound(request.model);
  const id = `embd-${newId()}`;
  const budgets = await readBudgets({ tenant, userId: null, keyId: principal.keyId, personaId: null });
  const admission = budgets && admitEmbedding(principal, budgets, model, toText(request.input));
  await admission?.reserve(id);
  const fields = Object.entries(request).filter(([, value]) => value !== null && value !== undefined);
  const { data, usage } = await requestEmbeddings(Object.fromEntries(fields)).catch(async (error) => {
    await returnReservations(principal, id, admission?.charges);
    throw toRefusal(error);
  });
  const inputTokens = { total: usage?.prompt_tokens, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  const outputTokens = { total: 0, text: undefined, reasoning: undefined };
  const counted = toUsage(model, { inputTokens, outputTokens }, { input: toText(request.input), output: "" });
  await recordCompletion(principal, {
    id,
    key_id: principal.keyId,
    persona_id: null,
    persona_version: null,
    usage: counted,
    charges: admission?.charges,
  });
  const format = request.encoding_format ?? "float";
  return {
    object: "list" as const,
    model,
    data: data.map(({ index, embedding }) => ({
      object: "embedding" as const,
      index,
      embedding: encode(embedding, format) as string | number[],
    })),
    usage: { prompt_tokens: counted.input_tokens, total_tokens: counted.total_tokens },
  };
}
