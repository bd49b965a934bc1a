import { findSetting, settings } from "../lib/env.ts";
import { sha256 } from "../lib/hash.ts";
import { mapConcurrent } from "../lib/map-concurrent.ts";
import { toFailure } from "../models/provider-error.ts";
import { findEmbeddingModel, requestEmbeddings, toFloats } from "../models/request-embeddings.ts";

/** Embedding space: a model and a number of dimensions. Vectors of different spaces are never compared. */
export interface EmbeddingSpace {
  /** Short hash of model, dimensions and layout version, which is stored with the vectors. */
  readonly id: string;
  readonly model: string;
  readonly dimensions: number;
}

/** Error of a request to the embedding provider that returned no usable vectors. */
export class EmbeddingUnavailable extends Error {
  override name = "EmbeddingUnavailable";
}

/** Returns the embedding space of the configured model and dimensions; null without an embedding provider. */
export function findEmbeddingSpace(): EmbeddingSpace | null {
  const model = findEmbeddingModel();
  if (model === null) return null;
  const dimensions = Number(findSetting("EMBEDDING_DIMENSIONS") || settings.model.EMBEDDING_DIMENSIONS);
  return { id: sha256(`${model} ${dimensions} ${LAYOUT_VERSION}`).slice(0, 8), model, dimensions };
}

/** Version of the data that is stored for a passage. Incrementing it makes all passages get new vectors. */
const LAYOUT_VERSION = 2;

/** Number of texts in one request to the provider. */
const BATCH_SIZE = 64;
const CONCURRENT_BATCHES = 3;
/** Length limit of a text in UTF-16 code units: a cautious estimate of 512 tokens of English, which every model accepts. */
const MAX_TEXT_LENGTH = 2_400;

/** Truncates a vector to the dimensions of the space and scales it to length 1. */
function normalize(values: ArrayLike<number>, { dimensions }: EmbeddingSpace): Float32Array {
  if (values.length < dimensions) throw new EmbeddingUnavailable("The vectors have fewer dimensions than configured");
  const vector = Float32Array.from(values).subarray(0, dimensions);
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** Maximum number of texts in one request, as far as this process knows from refusals of the provider. */
let acceptedBatch = BATCH_SIZE;

/** Length below which a text that the provider refuses is not shortened further. */
const MIN_TEXT_LENGTH = 300;

const refusalStatuses: ReadonlySet<number | undefined> = new Set([400, 413, 422]);

/** Returns true if the provider may accept fewer or shorter texts. Some report their limits with the status 500. */
function isTooMuch(error: unknown): boolean {
  const { status, text } = toFailure((error as Error).cause);
  return refusalStatuses.has(status) || /input is too large|batch size/i.test(text);
}

/** Vectors of texts, in order. */
interface Embedded {
  readonly vectors: readonly Float32Array[];
  /** True if the provider accepted the texts as they are in one request. */
  readonly isWhole: boolean;
}

/** Requests vectors, of half as many texts or a shorter one after a refusal, because limits differ and are not announced. */
async function embedBatch(space: EmbeddingSpace, texts: readonly string[], timeoutMs: number): Promise<Embedded> {
  try {
    return { vectors: await requestVectors(space, texts, timeoutMs), isWhole: true };
  } catch (error) {
    const [text = "", ...others] = texts;
    if (!isTooMuch(error) || (others.length === 0 && text.length <= MIN_TEXT_LENGTH)) throw error;
    if (others.length === 0) {
      const shorter = await embedBatch(space, [text.slice(0, Math.ceil(text.length / 2))], timeoutMs);
      return { ...shorter, isWhole: false };
    }
    const half = Math.ceil(texts.length / 2);
    const first = await embedBatch(space, texts.slice(0, half), timeoutMs);
    const second = await embedBatch(space, texts.slice(half), timeoutMs);
    // No text of them was the reason, so that it was their number.
    if (first.isWhole && second.isWhole) acceptedBatch = Math.min(acceptedBatch, half);
    return { vectors: [...first.vectors, ...second.vectors], isWhole: false };
  }
}

async function requestVectors(
  space: EmbeddingSpace,
  texts: readonly string[],
  timeoutMs: number,
): Promise<Float32Array[]> {
  const input = texts.map((text) => text || " ");
  const body = { model: space.model, input, encoding_format: "float" };
  const { data } = await requestEmbeddings(body, timeoutMs);
  if (data.length !== texts.length) throw new EmbeddingUnavailable("The provider returned another number of vectors");
  return data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => normalize(toFloats(embedding), space));
}

/**
 * Returns the vectors of texts, in order.
 * @param timeoutMs time for each request to the provider, including its retries
 * @throws EmbeddingUnavailable
 */
export async function embedTexts(
  space: EmbeddingSpace,
  texts: readonly string[],
  timeoutMs: number,
): Promise<Float32Array[]> {
  const size = acceptedBatch;
  const shortened = texts.map((text) => text.slice(0, MAX_TEXT_LENGTH));
  const batches = Array.from({ length: Math.ceil(texts.length / size) }, (_, index) =>
    shortened.slice(index * size, (index + 1) * size),
  );
  try {
    const embedded = await mapConcurrent(batches, (batch) => embedBatch(space, batch, timeoutMs), CONCURRENT_BATCHES);
    return embedded.flatMap(({ vectors }) => vectors);
  } catch (error) {
    throw error instanceof EmbeddingUnavailable ? error : new EmbeddingUnavailable((error as Error).message);
  }
}
