import { batchGetAll } from "../../dynamodb/batch-get-all.ts";
import { keys } from "../../dynamodb/keys.ts";
import { equals, exists, ignoreConditionFailed } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import {
  type EmbeddingSpace,
  EmbeddingUnavailable,
  embedTexts,
  findEmbeddingSpace,
} from "../../embeddings/embedding-provider.ts";
import { sendToQueue } from "../../lib/aws/sqs.ts";
import { now } from "../../lib/clock.ts";
import { env } from "../../lib/env.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { findDocuments } from "../document-store.ts";
import { readPassageBlock, type StoredPassage } from "../index/passage-store.ts";
import { toCollectionTag } from "../index/postings.ts";
import type { Audience } from "../knowledge-access.ts";
import { readAudienceStates } from "./audience-states.ts";
import { changeCodes, deleteCodePages, type TaggedCode } from "./code-pages.ts";
import { toCode, toInt8 } from "./quantize.ts";
import { MAX_SENTENCE_DIMENSIONS, splitSentences } from "./split-sentences.ts";
import { logMissingVectors, MAX_CODE_DIMENSIONS, requestVectors, toVectorSet } from "./vector-index.ts";

/** Job that computes the vectors of an audience's passages. */
export interface EmbeddingJob {
  readonly tenantId: string;
  readonly audience: Audience;
  /** Id of the embedding space; the job does nothing if another space is configured. */
  readonly space: string;
  /** Number of the first passage to embed; by default, the job continues after the passages that already have vectors. */
  readonly from?: number;
}

/** Timeout of one request to the embedding provider. */
const TIMEOUT_MS = 20_000;
/** Time after which a job stops and enqueues another job for the remaining passages; the timeout of the function is one minute. */
const MAX_JOB_DURATION_MS = 25_000;
/** Maximum time for computing vectors while a document is indexed. A job computes the remaining vectors later. */
const MAX_INDEXING_DURATION_MS = 15_000;
/**
 * Number of passages that are embedded between two checks of the elapsed time. A passage has up to 17 texts, so these are at
 * most 374 texts, which are sent in two rounds of concurrent requests.
 */
const SLICE_SIZE = 22;
/** Delay of the job that embeds passages whose vectors could not be computed while they were indexed. */
const RETRY_SECONDS = 60;

export interface PassageVector {
  /** Binary code of the vector, which is stored in the pages that a search reads. */
  readonly code: Uint8Array;
  readonly vector: Uint8Array;
  /** Binary codes of the sentences' vectors; absent if the passage has only one sentence. */
  readonly sentences?: Uint8Array;
  readonly space: string;
}

/** Returns the text of a passage to embed, with title and headings in front, because its meaning can depend on them. */
const toText = (title: string, { headings, text }: Pick<StoredPassage, "headings" | "text">) =>
  [title, headings, text].filter(Boolean).join("\n");

/**
 * Returns the vectors of passages and of their sentences, in order. Each text is embedded with the title and headings above
 * it.
 * @throws EmbeddingUnavailable
 */
async function embed(
  space: EmbeddingSpace,
  passages: readonly { readonly title: string; readonly passage: StoredPassage }[],
): Promise<PassageVector[]> {
  const texts = passages.map(({ title, passage }) => [
    toText(title, passage),
    ...splitSentences(passage.text).map((text) => toText(title, { ...passage, text })),
  ]);
  const vectors = await embedTexts(space, texts.flat(), TIMEOUT_MS);
  let start = 0;
  return texts.map(({ length }) => {
    const [vector = new Float32Array(), ...ofSentences] = vectors.slice(start, start + length);
    start += length;
    const sentences = Buffer.concat(ofSentences.map((sentence) => toCode(sentence, MAX_SENTENCE_DIMENSIONS)));
    const code = toCode(vector, MAX_CODE_DIMENSIONS);
    return { code, vector: toInt8(vector), space: space.id, ...(sentences.length > 0 && { sentences }) };
  });
}

export async function scheduleEmbedding(job: EmbeddingJob, delaySeconds = 0): Promise<void> {
  await sendToQueue(env("EMBED_PASSAGES_QUEUE_URL").EMBED_PASSAGES_QUEUE_URL, JSON.stringify(job), delaySeconds);
}

const toSlices = <Entry>(entries: readonly Entry[]): Entry[][] =>
  Array.from({ length: Math.ceil(entries.length / SLICE_SIZE) }, (_, index) =>
    entries.slice(index * SLICE_SIZE, (index + 1) * SLICE_SIZE),
  );

/**
 * Returns the vectors of passages that are about to be indexed, in order; null without an embedding provider. If the provider
 * fails or is slow, the result has only the first vectors, and a job computes the others later.
 */
export async function embedNewPassages(
  scope: TenantScope,
  audience: Audience,
  passages: readonly { readonly title: string; readonly passage: StoredPassage }[],
): Promise<PassageVector[] | null> {
  const space = findEmbeddingSpace();
  if (!space || passages.length === 0) return null;
  await requestVectors(scope, audience, space);
  const deadlineMs = now() + MAX_INDEXING_DURATION_MS;
  const vectors: PassageVector[] = [];
  try {
    for (const slice of toSlices(passages)) {
      if (now() > deadlineMs) throw new EmbeddingUnavailable("The embedding provider took too long");
      vectors.push(...(await embed(space, slice)));
    }
  } catch (error) {
    if (!(error instanceof EmbeddingUnavailable)) throw error;
    const rest = passages.slice(vectors.length);
    logMissingVectors(error, rest.length);
    const first = rest.reduce((min, { passage }) => Math.min(min, passage.passage), Number.MAX_SAFE_INTEGER);
    await scheduleEmbedding({ tenantId: scope.tenantId, audience, space: space.id, from: first }, RETRY_SECONDS);
  }
  return vectors;
}

/**
 * Computes and stores the vectors of passages that have none in this space. Each slice is stored before the next one is
 * embedded, so that a job that was interrupted repeats at most one slice.
 * @returns false if the time ran out before all passages had vectors
 */
async function embedBlock(
  scope: TenantScope,
  audience: Audience,
  space: EmbeddingSpace,
  passages: readonly StoredPassage[],
  deadlineMs: number,
): Promise<boolean> {
  const missing = passages.filter((passage) => passage.space !== space.id);
  if (missing.length === 0) return true;
  const refs = new Map(missing.map(({ document_id: id, collection_id }) => [id, { id, collection_id }]));
  const documents = await findDocuments(scope, [...refs.values()]);
  const titles = new Map(documents.map(({ id, title, placement }) => [id, placement?.title ?? title]));
  const entries = missing.map((passage) => ({ title: titles.get(passage.document_id) ?? "", passage }));
  for (const [index, slice] of toSlices(entries).entries()) {
    if (index > 0 && now() > deadlineMs) return false;
    await writeVectors(scope, audience, space, slice, await embed(space, slice));
  }
  return true;
}

/**
 * Stores the vectors of passages, codes first. A passage with a recorded space is not embedded again, so it must have its
 * code before the space is recorded.
 */
async function writeVectors(
  scope: TenantScope,
  audience: Audience,
  space: EmbeddingSpace,
  passages: readonly { readonly passage: StoredPassage }[],
  vectors: readonly PassageVector[],
): Promise<void> {
  const entries = vectors.flatMap((embedded, index) => {
    const stored = passages[index]?.passage;
    return stored ? [{ embedded, passage: stored.passage, collection_id: stored.collection_id }] : [];
  });
  const codes = new Map<number, TaggedCode>(
    entries.map(({ embedded, passage, collection_id }) => [
      passage,
      { code: embedded.code, collectionTag: toCollectionTag(collection_id) },
    ]),
  );
  await changeCodes(scope, toVectorSet(audience, space), codes);
  await mapConcurrent(entries, ({ embedded, passage }) =>
    tenantTable(scope)
      .write({
        update: keys.passage(scope.tenantId, audience, passage),
        set: { vector: embedded.vector, space: embedded.space, sentences: embedded.sentences ?? new Uint8Array() },
        condition: exists(),
      })
      .catch(ignoreConditionFailed),
  );
  await removeVanished(scope, audience, space, codes);
}

/** Removes the codes of passages that were deleted while their vectors were computed. */
async function removeVanished(
  scope: TenantScope,
  audience: Audience,
  space: EmbeddingSpace,
  codes: ReadonlyMap<number, TaggedCode>,
): Promise<void> {
  const numbers = [...codes.keys()];
  if (numbers.length === 0) return;
  const passageKeys = numbers.map((number) => keys.passage(scope.tenantId, audience, number));
  const found = await batchGetAll(tenantTable(scope), passageKeys, { consistent: true });
  const existing = new Set(found.map(({ passage }) => passage));
  const vanished = numbers.filter((number) => !existing.has(number));
  await changeCodes(scope, toVectorSet(audience, space), new Map(vanished.map((number) => [number, null])));
}

/** Number of passages that are read at a time, which is one partition of the table. */
const BLOCK_SIZE = 256;

/**
 * Computes vectors for the passages of an audience, starting at `job.from`, or else at the recorded position, which advances
 * with each block. Skips passages that have vectors, so that the job can be repeated. Enqueues another job when its time is
 * up.
 */
export async function embedPassages(job: EmbeddingJob): Promise<void> {
  const { tenantId, audience, from } = job;
  const scope: TenantScope = { tenantId };
  const space = findEmbeddingSpace();
  if (space?.id !== job.space) return;
  const deadlineMs = now() + MAX_JOB_DURATION_MS;
  const { state, passages = 0 } = (await readAudienceStates(scope, [audience])).get(audience) ?? {};
  if (state?.space !== space.id || (from === undefined && state.isComplete)) return;
  const first = from ?? state.cursor;
  for (let start = first - (first % BLOCK_SIZE); start < passages; start += BLOCK_SIZE) {
    const handOver = () => scheduleEmbedding(from === undefined ? job : { ...job, from: start });
    if (now() > deadlineMs) return handOver();
    const block = await readPassageBlock(scope, audience, start);
    if (!(await embedBlock(scope, audience, space, block, deadlineMs))) return handOver();
    if (from === undefined) await changeState(scope, audience, space, { cursor: start + BLOCK_SIZE });
  }
  if (from === undefined) await finish(scope, audience, space, passages);
}

/** Deletes the codes of earlier spaces and records that all passages have vectors in this one. */
async function finish(scope: TenantScope, audience: Audience, space: EmbeddingSpace, passages: number): Promise<void> {
  const { state } = (await readAudienceStates(scope, [audience])).get(audience) ?? {};
  for (const previous of state?.previous ?? []) {
    if (previous !== space.id)
      await deleteCodePages(scope, { ...toVectorSet(audience, space), space: previous }, passages);
  }
  await changeState(scope, audience, space, { is_complete: true, previous: [] });
}

async function changeState(
  scope: TenantScope,
  audience: Audience,
  space: EmbeddingSpace,
  set: Record<string, unknown>,
): Promise<void> {
  await tenantTable(scope)
    .write({
      update: keys.vectorState(scope.tenantId, audience),
      set,
      condition: equals({ space: space.id }),
    })
    .catch(ignoreConditionFailed);
}
