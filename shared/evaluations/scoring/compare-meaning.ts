import { embedTexts, findEmbeddingSpace } from "../../embeddings/embedding-provider.ts";
import { ServiceError } from "../../lib/errors.ts";

const TIMEOUT_MS = 20_000;

/**
 * Returns whether the meanings of an answer and a text are as similar as expected, by the cosine of their vectors.
 * @throws ServiceError `validation_failed` without an embedding provider
 * @throws EmbeddingUnavailable
 */
export async function compareMeaning(
  answer: string,
  { text, min_similarity }: { readonly text: string; readonly min_similarity: number },
): Promise<{ passed: boolean; detail: string }> {
  const space = findEmbeddingSpace();
  if (!space) throw new ServiceError("validation_failed", "The expectation `similar` needs an embedding provider.");
  const [first = new Float32Array(), second = new Float32Array()] = await embedTexts(space, [answer, text], TIMEOUT_MS);
  const similarity = first.reduce((sum, value, index) => sum + value * (second[index] ?? 0), 0);
  return { passed: similarity >= min_similarity, detail: similarity.toFixed(3) };
}
