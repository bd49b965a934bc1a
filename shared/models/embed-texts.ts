import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import { postJson, readText } from "../lib/post-to-provider.ts";
import { loadSecret } from "../lib/secrets.ts";
import { requireAnswer } from "./compatible/http-failure.ts";
import { providerError } from "./provider-error.ts";
import { toRefusal } from "./provider-refusal.ts";
import { retryModel } from "./retry-model.ts";

/** Timeout of a request, below the 29 seconds of API Gateway. */
const TIMEOUT_MS = 24_000;

/** Returns the id of the configured embedding model; null if there is none. */
export function findEmbeddingModel(): string | null {
  const { EMBEDDING_PROVIDER, EMBEDDING_ID } = env("EMBEDDING_PROVIDER", "EMBEDDING_ID");
  return EMBEDDING_PROVIDER === "openai-compatible" && EMBEDDING_ID ? EMBEDDING_ID : null;
}

export interface EmbeddingResponse {
  readonly data: readonly { readonly index: number; readonly embedding: readonly number[] | string }[];
  readonly usage?: { readonly prompt_tokens?: number; readonly total_tokens?: number };
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
 * Calls the embedding provider, with retries.
 * @param body request in OpenAI's format
 * @throws ServiceError as `toRefusal` returns it
 */
export async function embedTexts(body: object): Promise<EmbeddingResponse> {
  const { EMBEDDING_BASE_URL, EMBEDDING_API_KEY } = env("EMBEDDING_BASE_URL", "EMBEDDING_API_KEY");
  const provider = { baseUrl: EMBEDDING_BASE_URL, apiKey: await loadSecret(EMBEDDING_API_KEY) };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const call = async () => {
    try {
      const response = await requireAnswer(await postJson(provider, "/embeddings", body, signal));
      return parseResponse(await readText(response));
    } catch (error) {
      throw toRefusal(providerError(signal.aborted ? signal.reason : error));
    }
  };
  return retryModel(call, { deadline: performance.now() + TIMEOUT_MS / 2 });
}
