import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import type { VisitorQuestion } from "#shared/api/embed/visitors.ts";
import type { EmbedKey } from "#shared/api/tenancy/embed-keys.ts";
import type { UserPrincipal } from "#shared/auth/principal.ts";
import { groupQuestions } from "#shared/embed/group-questions.ts";
import { findTopics } from "#shared/embed/question-topics.ts";
import { findEmbeddingSpace } from "#shared/embeddings/embedding-provider.ts";
import { reconcileDocuments } from "#shared/knowledge/indexing/index-documents.ts";
import { calibrationTopics, type TopicQuestion, topicQuestions } from "#test/support/embed/question-topics.ts";
import { collectionsByTopic, documentsByCollection } from "#test/support/embed/topic-collections.ts";
import { addCollection, addReadableDocument } from "#test/support/knowledge/add-readable-document.ts";
import { type EmbeddingServer, startEmbeddingServer } from "#test/support/knowledge/embedding-server.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;
let provider: EmbeddingServer;
beforeAll(async () => {
  [table, provider] = await Promise.all([startMeteredTable(), startEmbeddingServer()]);
});
afterEach(() => {
  vi.unstubAllEnvs();
  provider.isBroken = false;
});
afterAll(async () => {
  provider.close();
  await table.stop();
});

const useProvider = () =>
  vi
    .stubEnv("EMBEDDING_PROVIDER", "openai-compatible")
    .stubEnv("EMBEDDING_BASE_URL", provider.baseUrl)
    .stubEnv("EMBEDDING_ID", "synonyms");

/** Questions that did not help to choose a threshold. */
const measured = topicQuestions.filter(({ topic }, index) =>
  topic === null ? index % 2 === 1 : !calibrationTopics.has(topic),
);

const isSameTopic = (one: TopicQuestion, other: TopicQuestion) =>
  one.topic !== null && one.topic === other.topic && one.language === other.language;

/** Counts the pairs of questions that are in one group: of a topic in one language (`right`), and others. */
function countPairs(questions: readonly TopicQuestion[], groups: readonly (readonly number[])[]) {
  const groupOf = new Map(groups.flatMap((members, group) => members.map((member) => [member, group] as const)));
  const pairs = { right: 0, wrong: 0, missing: 0 };
  for (const [index, one] of questions.entries()) {
    for (const [offset, other] of questions.slice(index + 1).entries()) {
      const isTogether = groupOf.get(index) === groupOf.get(index + 1 + offset);
      if (isTogether) pairs[isSameTopic(one, other) ? "right" : "wrong"] += 1;
      else if (isSameTopic(one, other)) pairs.missing += 1;
    }
  }
  return pairs;
}

const textsOf = (questions: readonly TopicQuestion[]) => questions.map(({ question }) => question);

it.each([
  { name: "topics that chose no threshold", questions: measured, right: 19, wrong: 2 },
  { name: "all topics together", questions: topicQuestions, right: 41, wrong: 12 },
])(
  "groupQuestions() by words has at least $right of the pairs of $name in six languages together, and at most $wrong others",
  async ({ name, questions, right, wrong }) => {
    const { groups, vectors } = await groupQuestions(textsOf(questions), null);
    const pairs = countPairs(questions, groups);
    console.info(`${name}: ${JSON.stringify(pairs)}`);
    expect(pairs.right).toBeGreaterThanOrEqual(right);
    expect(pairs.wrong).toBeLessThanOrEqual(wrong);
    expect(vectors).toBeNull();
    expect(groups.flat().toSorted((one, other) => one - other)).toEqual(questions.map((_, index) => index));
  },
);

it("groupQuestions() groups questions by meaning with an embedding provider, and by words while it fails", async () => {
  const texts = ["repair of an automobile", "Do you fix cars?", "Is the salary paid monthly?", "vehicle: repair"];
  useProvider();
  const meaning = await groupQuestions(texts, findEmbeddingSpace());
  expect(meaning.groups).toEqual([[0, 1, 3], [2]]);
  expect(meaning.vectors).toHaveLength(4);
  provider.isBroken = true;
  const words = await groupQuestions(texts, findEmbeddingSpace());
  expect(words).toEqual({ groups: [[0, 3], [1], [2]], vectors: null });
});

const toQuestion = (question: string, index: number, count = 1): VisitorQuestion => ({
  ...{ id: String(index), question, count, status: "open", session_id: "s", document: null, answered_at: null },
  reasons: { no_source: count, unknown: 0, disliked: 0 },
  ...{ first_asked_at: "2026-03-01T10:00:00.000Z", last_asked_at: `2026-03-01T10:00:00.${900 - index}Z` },
});

const userOf = (tenantId: string, apiKey?: { readonly scopes: readonly string[] }) =>
  ({ kind: "user", tenantId, userId: "owner", ...(apiKey && { apiKey }) }) as unknown as UserPrincipal;

const key = { persona_id: null } as unknown as EmbedKey;

/** Stores documents of a collection, and indexes them. */
async function addDocuments(tenantId: string, texts: readonly string[], readers: readonly string[] = ["tenant"]) {
  const scope = { tenantId };
  const collection = await addCollection(scope, "owner", readers);
  for (const text of texts) {
    const title = text.split(/[.。]/)[0] ?? "";
    await reconcileDocuments(scope, [await addReadableDocument(scope, collection, { title, text })]);
  }
  return collection;
}

it("findTopics() names the collection for 13 of the 22 topics in six languages that chose no threshold, and no wrong one", async () => {
  const names = new Map<string, string>();
  for (const [name, lines] of Object.entries(documentsByCollection)) {
    names.set((await addDocuments("shop", lines.split("\n"))).id, name);
  }
  const questions = textsOf(measured).map((question, index) => toQuestion(question, index));
  let topics: Awaited<ReturnType<typeof findTopics>> = [];
  const units = await table.measure(async () => {
    topics = await findTopics(userOf("shop"), key, questions);
  });
  console.info(`${questions.length} questions, ${topics.length} topics: ${units.read} read units`);
  const counts = { right: 0, wrong: 0, none: 0 };
  for (const { question_ids, collection } of topics) {
    const topic = measured[Number(question_ids[0])]?.topic ?? "";
    const name = collection && names.get(collection.id);
    counts[name ? (collectionsByTopic[topic]?.includes(name) ? "right" : "wrong") : "none"] += 1;
  }
  console.info(JSON.stringify(counts));
  expect(counts.right).toBeGreaterThanOrEqual(13);
  expect(counts.wrong).toBe(0);
  expect(units.written).toBe(0);
});

it("findTopics() names a topic by its most frequent question, and lists the most frequent topic first", async () => {
  const questions = [
    toQuestion("Is the jacket vegan?", 0, 2),
    toQuestion("Do you ship bicycles to Iceland?", 1, 1),
    toQuestion("How long does shipping to Iceland take?", 2, 3),
  ];
  const topics = await findTopics(userOf("none"), key, questions);
  expect(topics).toEqual([
    {
      ...{ question: questions[2]?.question, question_ids: ["1", "2"], count: 4, collection: null },
      last_asked_at: questions[1]?.last_asked_at,
    },
    {
      ...{ question: questions[0]?.question, question_ids: ["0"], count: 2, collection: null },
      last_asked_at: questions[0]?.last_asked_at,
    },
  ]);
  expect(await findTopics(userOf("none"), key, [])).toEqual([]);
});

it("findTopics() names only collections that the whole tenant can read, and none to an API key that may not read knowledge", async () => {
  const text = "Shipping to Iceland. We ship bicycles to Iceland by sea.";
  const questions = [toQuestion("How much is the shipping to Iceland?", 0)];
  const nearestFor = async (user: UserPrincipal) => (await findTopics(user, key, questions))[0]?.collection?.id;
  await addDocuments("rights", [text], []);
  await addDocuments("rights", [text], ["user:someone"]);
  expect(await nearestFor(userOf("rights"))).toBeUndefined();
  const collection = await addDocuments("rights", ["Shipping. Parcels are shipped within a day."]);
  expect(await nearestFor(userOf("rights"))).toBe(collection.id);
  expect(await nearestFor(userOf("rights", { scopes: ["knowledge.read"] }))).toBe(collection.id);
  expect(await nearestFor(userOf("rights", { scopes: ["embed-keys.read"] }))).toBeUndefined();
});

it("findTopics() searches for the 20 most frequent topics of a page, with one request for vectors", async () => {
  const questions = Array.from({ length: 60 }, (_, index) => toQuestion(`zz${index}a zz${index}b`, index, 100 - index));
  const measure = (count: number) => table.measure(() => findTopics(userOf("shop"), key, questions.slice(0, count)));
  const [twenty, sixty] = [await measure(20), await measure(60)];
  expect(twenty.read).toBeGreaterThan(0);
  expect(sixty).toEqual(twenty);
  useProvider();
  const before = provider.embedded;
  expect(await findTopics(userOf("other"), key, questions)).toHaveLength(60);
  expect(provider.embedded - before).toBe(60);
});
