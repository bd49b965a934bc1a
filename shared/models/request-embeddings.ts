import { findSetting } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import { postJson, readText } from "../lib/outgoing/post-to-provider.ts";
import { loadSecret } from "../lib/secrets.ts";
import { requireAnswer } from "./compatible/http-failure.ts";
import { providerError } from "./provider-error.ts";
import { retryModel } from "./retry-model.ts";

/** Maximum time for a request of an API client, below API Gateway's limit of 29 seconds. */
const TIMEOUT_MS = 24_000;

/** Returns the id of the configured embedding model; null without an embedding provider. */
export function findEmbeddingModel(): string | null {
  const model = findSetting("EMBEDDING_ID");
  return findSetting("EMBEDDING_PROVIDER") === "openai-compatible" && model ? model : null;
}

export interface EmbeddingResponse {
  readonly data: readonly { readonly index: number; readonly embedding: readonly number[] | string }[];
  readonly usage?: { readonly prompt_tokens?: number; readonly total_tokens?: number };
}

/** Returns an embedding as numbers. Providers can send it as Base64 of 32-bit floats. */
export function toFloats(embedding: EmbeddingResponse["data"][number]["embedding"]): ArrayLike<number> {
  if (typeof embedding !== "string") return embedding;
  const bytes = new Uint8Array(Buffer.from(embedding, "base64"));
  return new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4));
}

function parseResponse(text: string): EmbeddingResponse {
  let value: { data?: unknown } | null = null;
  try {
    value = JSON.parse(text);
  } catch {
    // Handled below: the parser's message would quote the response.
  }
  if (!Array.isArray(value?.data)) throw new ServiceError("model_error", "The embeddings could not be parsed.");
  return value as EmbeddingResponse;
}

/**
 * Requests embeddings, with up to three attempts that start within half of the time.
 * @param body request in OpenAI's format
 * @param timeoutMs time for all attempts
 * @throws ServiceError as `providerError` returns it
 */
export async function requestEmbeddings(body: object, timeoutMs: number = TIMEOUT_MS): Promise<EmbeddingResponse> {
  const apiKey = await loadSecret(findSetting("EMBEDDING_API_KEY"));
  const provider = { baseUrl: findSetting("EMBEDDING_BASE_URL"), apiKey };
  const signal = AbortSignal.timeout(timeoutMs);
  const call = async () => {
    try {
      const response = await requireAnswer(await postJson(provider, "/embeddings", body, signal));
      return parseResponse(await readText(response));
    } catch (error) {
      throw providerError(signal.aborted ? signal.reason : error);
    }
  };
  return retryModel(call, { deadline: performance.now() + timeoutMs / 2 });
}
