import { MAX_SEARCHED_TOPICS, type QuestionTopic, type VisitorQuestion } from "../api/embed/visitors.ts";
import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { findEmbeddingSpace } from "../embeddings/embedding-provider.ts";
import { findCollections } from "../knowledge/collection-store.ts";
import { searchKnowledge } from "../knowledge/search/search-knowledge.ts";
import { mapConcurrent } from "../lib/map-concurrent.ts";
import { findPersona } from "../personas/persona-store.ts";
import { groupQuestions } from "./group-questions.ts";

/** Number of searches at a time. A search by meaning in the largest index reads 460 units. */
const CONCURRENT_SEARCHES = 4;

/**
 * Minimum relevance of a document that is near a question, below that of an answer: no document answers these questions. Calibrated like
 * the threshold of `groupQuestions`, with the documents of `test/support/embed/topic-collections.ts`.
 */
const MIN_NEAR_RELEVANCE = 0.3;

/** Number of questions that a search for the documents of a topic contains in addition to the one that names it. */
const MAX_FURTHER_QUESTIONS = 3;

/** Questions of a topic with the vector of the one that names it. */
interface Topic {
  readonly questions: readonly VisitorQuestion[];
  readonly label: VisitorQuestion;
  readonly vector: Float32Array | undefined;
  readonly count: number;
}

const countOf = (questions: readonly VisitorQuestion[]) => questions.reduce((sum, { count }) => sum + count, 0);

/** Returns the collections in which the answers of a website are looked for; undefined for all that visitors can read. */
async function findCollectionIds(principal: UserPrincipal, { persona_id }: EmbedKey) {
  const persona = persona_id === null ? undefined : await findPersona(principal, persona_id);
  return persona?.collection_ids.length ? persona.collection_ids : undefined;
}

/**
 * Returns the ids of the nearest collections of topics, in order; undefined where none is near. It searches what a visitor can read, and
 * so does every user of the tenant: an answer in another collection is found by no visitor.
 */
async function findNearest({ tenantId }: UserPrincipal, topics: readonly Topic[], collectionIds?: readonly string[]) {
  const visitor = { tenantId, userId: null };
  return mapConcurrent(
    topics,
    async ({ questions, label, vector }) => {
      const others = questions.filter((question) => question !== label).map(({ question }) => question);
      const context = others.slice(0, MAX_FURTHER_QUESTIONS);
      const query = { text: label.question, context, vector, limit: 1, minRelevance: MIN_NEAR_RELEVANCE };
      const [hit] = await searchKnowledge(visitor, { ...query, ...(collectionIds && { collectionIds }) });
      return hit?.collection_id;
    },
    CONCURRENT_SEARCHES,
  );
}

/**
 * Groups the questions of a page by topic, the most frequent first, and names the collection that is nearest to each. Nothing is
 * stored; it takes one request for vectors if there is an embedding provider, and at most `MAX_SEARCHED_TOPICS` searches.
 * @param questions questions in the order of the list, the last asked first
 */
export async function findTopics(
  principal: UserPrincipal,
  key: EmbedKey,
  questions: readonly VisitorQuestion[],
): Promise<QuestionTopic[]> {
  const space = findEmbeddingSpace();
  const texts = questions.map(({ question }) => question);
  const { groups, vectors } = await groupQuestions(texts, space);
  const topics = groups
    .flatMap((positions): Topic[] => {
      const members = positions.flatMap((position) => questions[position] ?? []);
      const [first] = members;
      if (!first) return [];
      const label = members.reduce((best, question) => (question.count > best.count ? question : best), first);
      return [{ questions: members, label, vector: vectors?.[questions.indexOf(label)], count: countOf(members) }];
    })
    .sort((one, other) => other.count - one.count);
  const mayRead = principal.apiKey?.scopes.includes("knowledge.read") ?? true;
  const searched = mayRead ? topics.slice(0, MAX_SEARCHED_TOPICS) : [];
  const ids = await findNearest(principal, searched, await findCollectionIds(principal, key));
  const found = await findCollections(principal, [...new Set(ids.flatMap((id) => id ?? []))]);
  const collections = new Map(found.map(({ id, name }) => [id, { id, name }]));
  return topics.map(({ questions: members, label, count }, index) => ({
    question: label.question,
    question_ids: members.map(({ id }) => id),
    count,
    last_asked_at: members[0]?.last_asked_at ?? label.last_asked_at,
    collection: collections.get(ids[index] ?? "") ?? null,
  }));
}
