import { keys } from "../../dynamodb/keys.ts";
import { absent, anyOf, differs, ignoreConditionFailed } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { type EmbeddingSpace, embedTexts, findEmbeddingSpace } from "../../embeddings/embedding-provider.ts";
import { now } from "../../lib/clock.ts";
import { log } from "../../lib/log.ts";
import type { IndexedPassage, IndexQuery, KnowledgeIndex, RankedPassage } from "../index/knowledge-index.ts";
import { toCollectionTag } from "../index/postings.ts";
import type { Audience, KnowledgeReader } from "../knowledge-access.ts";
import { type AudienceState, readAudienceStates } from "./audience-states.ts";
import {
  ABSENT,
  type CodePage,
  changeCodes,
  readCodePages,
  type TaggedCode,
  toStoredTag,
  type VectorSet,
} from "./code-pages.ts";
import { codeScorer } from "./quantize.ts";

/** Maximum number of passages that one search selects by their codes. */
const MAX_CANDIDATES = 200;

/**
 * Maximum number of dimensions in a code, which limits its size regardless of the model. With 192 dimensions, the passages
 * to compare exactly are found nearly as well as with 256 (decision 0021).
 */
export const MAX_CODE_DIMENSIONS = 192;

/**
 * Number of passages above which an audience is searched by words only, because reading its codes would take more than 460
 * read units.
 */
const MAX_SCANNED_PASSAGES = 150_000;

/** Timeout of the request that computes the vector of a query. */
const QUERY_TIMEOUT_MS = 3_000;

export const toVectorSet = (audience: Audience, { id, dimensions }: EmbeddingSpace): VectorSet => ({
  audience,
  space: id,
  codeBytes: Math.ceil(Math.min(dimensions, MAX_CODE_DIMENSIONS) / 8),
});

/**
 * Records that the passages of an audience need vectors in this space. The rule `embed-passages` then starts the job that
 * computes them.
 */
export async function requestVectors(scope: TenantScope, audience: Audience, space: EmbeddingSpace): Promise<void> {
  const { state } = (await readAudienceStates(scope, [audience])).get(audience) ?? {};
  if (state?.space === space.id) return;
  await tenantTable(scope)
    .write({
      put: {
        ...keys.vectorState(scope.tenantId, audience),
        discriminator: "vector-state",
        timestamp: now(),
        audience,
        space: space.id,
        previous: state ? [...state.previous, state.space] : [],
        cursor: 0,
        is_complete: false,
      },
      condition: anyOf([absent(), differs({ space: space.id })]),
    })
    .catch(ignoreConditionFailed);
}

/**
 * Returns the vector of a query.
 * @throws EmbeddingUnavailable
 */
export const embedQuery = async (space: EmbeddingSpace, text: string): Promise<Float32Array> =>
  (await embedTexts(space, [text], QUERY_TIMEOUT_MS))[0] as Float32Array;

/**
 * Returns up to 200 passages whose codes are most similar to a query, best first. Creates objects only for these, because
 * there can be thousands of passages.
 */
function findNearest(
  pages: readonly CodePage[],
  { audience, codeBytes }: VectorSet,
  query: Float32Array,
  tags: ReadonlySet<number> | undefined,
): RankedPassage[] {
  const score = codeScorer(query, MAX_CODE_DIMENSIONS);
  const scores: number[] = [];
  const passages: number[] = [];
  for (const page of pages) {
    for (const [slot, tag] of page.tags.entries()) {
      if (tag === ABSENT || (tags && !tags.has(tag))) continue;
      passages.push(page.first + slot);
      scores.push(score(page.codes, slot * codeBytes));
    }
  }
  const minScore = Float64Array.from(scores).sort().at(-MAX_CANDIDATES) ?? Number.NEGATIVE_INFINITY;
  return passages
    .flatMap((passage, index) => {
      const passageScore = scores[index] ?? 0;
      return passageScore < minScore ? [] : [{ key: `${audience}#${passage}`, audience, passage, score: passageScore }];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_CANDIDATES);
}

/**
 * Ranks passages by the similarity of their vectors to the query's vector. Requests vectors for audiences that have none in
 * this space, and ranks nothing for these.
 * @param states vector states of the audiences whose passages the reader may read
 * @throws EmbeddingUnavailable
 */
export async function rankByMeaning(
  reader: KnowledgeReader,
  { collectionIds, depth }: Pick<IndexQuery, "collectionIds" | "depth">,
  space: EmbeddingSpace,
  queryVector: Promise<Float32Array>,
  states: ReadonlyMap<Audience, AudienceState>,
): Promise<RankedPassage[]> {
  const tags = collectionIds && new Set(collectionIds.map((id) => toStoredTag(toCollectionTag(id))));
  const rankings = await Promise.all(
    [...states].map(async ([audience, { state, passages }]) => {
      if (passages === 0 || passages > MAX_SCANNED_PASSAGES) return [];
      if (state?.space !== space.id) {
        await requestVectors(reader, audience, space);
        return [];
      }
      const set = toVectorSet(audience, space);
      const pages = await readCodePages(reader, set, passages);
      return findNearest(pages, set, await queryVector, tags);
    }),
  );
  // A rejection must not stay unhandled if no audience has vectors.
  await queryVector;
  return rankings
    .flat()
    .sort((a, b) => b.score - a.score)
    .slice(0, Math.min(depth, MAX_CANDIDATES));
}

/** Adds or removes the codes of passages in the current space; does nothing without an embedding provider. */
async function change(
  scope: TenantScope,
  audience: Audience,
  passages: readonly IndexedPassage[],
  operation: "add" | "remove",
): Promise<void> {
  const space = findEmbeddingSpace();
  if (!space) return;
  const changes = new Map<number, TaggedCode | null>();
  for (const { passage, collectionId, code } of passages) {
    if (operation === "remove") changes.set(passage, null);
    else if (code) changes.set(passage, { code, collectionTag: toCollectionTag(collectionId) });
  }
  await changeCodes(scope, toVectorSet(audience, space), changes);
}

/** Index by meaning, which `rankByMeaning` searches: binary codes of the passages' vectors, if there is an embedding provider. */
export const vectorIndex: KnowledgeIndex = {
  add: (scope, audience, passages) => change(scope, audience, passages, "add"),
  remove: (scope, audience, passages) => change(scope, audience, passages, "remove"),
};

export function logMissingVectors(error: unknown, passages: number): void {
  log.error("embedding failed", { passages, error });
}
