import type { RecallCodes } from "../../conversations/summary-store.ts";
import { embedTexts, findEmbeddingSpace } from "../../embeddings/embedding-provider.ts";
import { codeScorer, toCode } from "../../knowledge/vectors/quantize.ts";
import { log } from "../../lib/log.ts";

/** Maximum number of messages whose codes a summary has: the latest, as many as a recall reads. */
const MAX_CODES = 640;

/** Maximum number of dimensions of a code, one bit each. */
const MAX_DIMENSIONS = 256;

/** Timeouts in milliseconds: after the answer, and before it. */
const WRITE_TIMEOUT_MS = 10_000;
const READ_TIMEOUT_MS = 1_500;

/** Maximum number of messages that are recalled by meaning. */
const MAX_SIMILAR = 4;

/**
 * Minimum similarity of a message: standard deviations above the mean of all messages. The similarities themselves have
 * other scales with each model.
 */
const MIN_DEVIATIONS = 1.5;

/**
 * Returns the codes of a summary's messages: those of the summary before and of the messages since. Undefined without an
 * embedding provider. Best-effort: without new codes, these messages are recalled by words only.
 */
export async function extendCodes(
  previous: RecallCodes | undefined,
  messages: readonly { readonly id: string; readonly text: string }[],
): Promise<RecallCodes | undefined> {
  const space = findEmbeddingSpace();
  if (space === null) return undefined;
  const known = previous?.space === space.id ? previous : undefined;
  try {
    const texts = messages.map(({ text }) => text);
    const codes = (await embedTexts(space, texts, WRITE_TIMEOUT_MS)).map((vector) => toCode(vector, MAX_DIMENSIONS));
    const ids = [...(known?.ids ?? []), ...messages.map(({ id }) => id)].slice(-MAX_CODES);
    const all = Buffer.concat([...(known ? [known.codes] : []), ...codes]);
    const codeBytes = codes[0]?.length ?? 0;
    return { space: space.id, ids, codes: all.subarray(Math.max(0, all.length - codeBytes * MAX_CODES)) };
  } catch (error) {
    log.warn("messages not embedded", { error });
    return known;
  }
}

/** Returns the ids of the messages that are most similar to a question, best first; empty if the provider fails. */
export async function findSimilar(recall: RecallCodes | undefined, question: string): Promise<string[]> {
  const space = findEmbeddingSpace();
  if (!recall || recall.ids.length === 0 || space?.id !== recall.space) return [];
  try {
    const [vector] = await embedTexts(space, [question], READ_TIMEOUT_MS);
    if (!vector) return [];
    const codeBytes = recall.codes.length / recall.ids.length;
    const score = codeScorer(vector, Math.min(vector.length, MAX_DIMENSIONS));
    const scored = recall.ids.map((id, index) => ({ id, score: score(recall.codes, index * codeBytes) }));
    const mean = scored.reduce((sum, one) => sum + one.score, 0) / scored.length;
    const deviation = Math.sqrt(scored.reduce((sum, one) => sum + (one.score - mean) ** 2, 0) / scored.length);
    return scored
      .filter((one) => one.score > mean + MIN_DEVIATIONS * deviation)
      .sort((a, b) => b.score - a.score)
      .slice(0, MAX_SIMILAR)
      .map(({ id }) => id);
  } catch (error) {
    log.warn("messages not recalled by meaning", { error });
    return [];
  }
}
