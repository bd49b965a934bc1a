import { batchGetAll } from "../../dynamodb/batch-get-all.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { getLanguageRules, languages } from "../../lib/language/languages.ts";
import { countOccurrences, extractTerms } from "../../lib/language/terms.ts";
import type { Audience } from "../knowledge-access.ts";
import { getAverageLength, idf, maxTermScore, type Statistics, significance, termScore } from "./bm25.ts";
import type { IndexedPassage, IndexQuery, KnowledgeIndex, RankedPassage, Ranking } from "./knowledge-index.ts";
import type { IndexStatistics } from "./passage-store.ts";
import type { ListChange } from "./posting-list.ts";
import { changePostings, type ListHead, listKey, queryFurtherPostings, readListHead } from "./posting-store.ts";
import { clampOccurrence, type Posting, toCollectionTag } from "./postings.ts";
import { countPassages, getFurtherLanguages, type QueryTerm, toQueryTerms, toTermsOfLanguages } from "./query-terms.ts";

/** Maximum number of blocks, of about 60 postings each, that a search reads after the first block of each list. It limits the cost of a search. */
const MAX_FURTHER_BLOCKS = 300;
/** Limit for a search in some collections. It is larger, because most of the postings that it reads are of other collections. */
const MAX_FURTHER_BLOCKS_FILTERED = 600;

/**
 * Minimum number of passages that the weight of a word is computed with if no passage contains the word. In a small
 * index, a word that occurs once by chance would otherwise weigh nearly as much, so its passage would seem relevant.
 */
const MIN_PASSAGES_FOR_ABSENCE = 1_000;

/** Returns the postings of a passage, by term. */
export function toPostings(passage: IndexedPassage): Map<string, Posting> {
  const toTerms = (text: string) => extractTerms(text, passage.language);
  const inText = countOccurrences(toTerms(passage.text));
  const inTitle = countOccurrences([...toTerms(passage.title), ...toTerms(passage.headings)]);
  const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((total, count) => total + count, 0);
  const length = sum(inText) + sum(inTitle);
  const collectionTag = toCollectionTag(passage.collectionId);
  return new Map(
    [...new Set([...inText.keys(), ...inTitle.keys()])].map((term) => [
      term,
      {
        passage: passage.passage,
        ...clampOccurrence({ inText: inText.get(term) ?? 0, inTitle: inTitle.get(term) ?? 0, length }),
        collectionTag,
      },
    ]),
  );
}

/** Returns the number of terms in a passage, including title and headings, for the statistics. */
export function countPassageTerms({ text, title, headings, language }: IndexedPassage): number {
  return [text, title, headings].reduce((length, part) => length + extractTerms(part, language).length, 0);
}

/** Returns the changes of posting lists that add or remove passages, by term. */
function toListChanges(passages: readonly IndexedPassage[], operation: keyof ListChange): Map<string, ListChange> {
  const changes = new Map<string, ListChange>();
  for (const passage of passages) {
    for (const [term, posting] of toPostings(passage)) {
      const change = changes.get(term) ?? { add: [], remove: [] };
      change[operation].push(posting);
      changes.set(term, change);
    }
  }
  return changes;
}

/** Posting list to read in a search. */
interface QueriedList extends QueryTerm {
  readonly audience: Audience;
  readonly head: ListHead;
}

/** Reads the first block of each term's list. Reading a missing list also costs half a read unit. */
async function readLists(
  scope: TenantScope,
  audiences: readonly Audience[],
  terms: readonly QueryTerm[],
): Promise<QueriedList[]> {
  const requests = audiences.flatMap((audience) =>
    terms.map((term) => ({ ...term, audience, key: listKey(scope, audience, term.term) })),
  );
  const items = await batchGetAll(
    tenantTable(scope),
    requests.map(({ key }) => key),
  );
  const itemsByPartition = new Map(items.map((item) => [item.pk, item]));
  return requests
    .map(({ key, ...list }) => ({ ...list, head: readListHead(itemsByPartition.get(key.pk)) }))
    .filter(({ head }) => head.total > 0);
}

/**
 * Returns the document frequency of each word of the lists and of the query. A stop word counts as present in all
 * passages of its language: it is not indexed there and would otherwise seem rare.
 */
function getDocumentFrequencies(
  lists: readonly QueriedList[],
  statistics: readonly IndexStatistics[],
  queryWords: readonly string[],
): Map<string, number> {
  const total = statistics.reduce((sum, { passages }) => sum + passages, 0);
  const countStopWordPassages = (word: string) =>
    languages
      .filter((language) => getLanguageRules(language).stopWords.has(word))
      .reduce((sum, language) => sum + countPassages(statistics, language), 0);
  const listsByWord = Map.groupBy(lists, ({ word }) => word);
  return new Map(
    [...new Set([...queryWords, ...listsByWord.keys()])].map((word) => {
      const found = (listsByWord.get(word) ?? []).reduce((sum, { head }) => sum + head.total, 0);
      return [word, Math.min(total, found + countStopWordPassages(word))];
    }),
  );
}

/**
 * Distributes the remaining block limit of a search over its posting lists, shortest first. Rare words are the most
 * significant and the cheapest to read completely; of frequent words, only the best postings are read.
 */
function allocateFurtherBlocks(lists: readonly QueriedList[], maxBlocks: number): ReadonlyMap<QueriedList, number> {
  let available = maxBlocks;
  const allocations = lists
    .toSorted((a, b) => a.head.blocks - b.head.blocks)
    .map((list) => {
      const blocks = Math.min(available, list.head.blocks);
      available -= blocks;
      return [list, blocks] as const;
    });
  return new Map(allocations.filter(([, blocks]) => blocks > 0));
}

/** Returns the matching passages of audiences. They may include a few of collections other than those requested. */
async function rank(scope: TenantScope, query: IndexQuery): Promise<Ranking> {
  const allStatistics = query.statistics;
  // The lists of an audience without passages are not read: users without documents of their own are frequent.
  const audiences = [...allStatistics].flatMap(([audience, { passages }]) => (passages > 0 ? [audience] : []));
  const audienceStatistics = [...allStatistics.values()];
  const texts = [query.text, ...(query.context ?? [])] as const;
  const englishTerms = toQueryTerms(texts, "en");
  const terms = toTermsOfLanguages(texts, getFurtherLanguages(audienceStatistics));
  const lists = await readLists(scope, audiences, terms);
  const documentFrequencies = getDocumentFrequencies(
    lists,
    audienceStatistics,
    englishTerms.map(({ word }) => word),
  );
  const statistics: Statistics = {
    passages: audienceStatistics.reduce((sum, { passages }) => sum + passages, 0),
    length: audienceStatistics.reduce((sum, { length }) => sum + length, 0),
  };
  const tags = query.collectionIds && new Set(query.collectionIds.map(toCollectionTag));
  const { maxFurtherBlocks = MAX_FURTHER_BLOCKS } = query;
  const maxBlocks = query.maxBlocks ?? (tags ? MAX_FURTHER_BLOCKS_FILTERED : maxFurtherBlocks);
  const furtherBlocks = allocateFurtherBlocks(lists, maxBlocks);
  const averageLength = getAverageLength(statistics);
  const scores = new Map(audiences.map((audience) => [audience, new Map<number, number>()]));
  await Promise.all(
    lists.map(async (list) => {
      const { audience, term, word, count, head } = list;
      const weight = count * idf(statistics, documentFrequencies.get(word) ?? 0);
      const blocks = furtherBlocks.get(list);
      const furtherPostings = blocks ? await queryFurtherPostings(scope, audience, term, blocks) : [];
      const audienceScores = scores.get(audience);
      for (const posting of [...head.postings, ...furtherPostings]) {
        if (tags && !tags.has(posting.collectionTag)) continue;
        const { passage } = posting;
        const score = audienceScores?.get(passage) ?? 0;
        audienceScores?.set(passage, score + termScore(weight, posting, averageLength));
      }
    }),
  );
  const withAbsence = (frequency: number): Statistics =>
    frequency > 0 ? statistics : { ...statistics, passages: Math.max(statistics.passages, MIN_PASSAGES_FOR_ABSENCE) };
  const weights = new Map(
    [...documentFrequencies].map(([word, frequency]) => [word, significance(withAbsence(frequency), frequency)]),
  );
  const counts = new Map([...englishTerms, ...lists].map(({ word, count }) => [word, count]));
  const maxScore = [...documentFrequencies].reduce(
    (sum, [word, frequency]) => sum + maxTermScore((counts.get(word) ?? 1) * idf(withAbsence(frequency), frequency)),
    0,
  );
  return { passages: selectBest(scores, query.depth), words: { weights, averageLength }, maxScore };
}

/** Returns the best passages, best first. They are filtered by score before sorting, because there can be thousands. */
function selectBest(scores: ReadonlyMap<Audience, ReadonlyMap<number, number>>, depth: number): RankedPassage[] {
  const sortedScores = Float64Array.from([...scores.values()].flatMap((ofAudience) => [...ofAudience.values()])).sort();
  const minScore = sortedScores.at(-depth) ?? 0;
  return [...scores]
    .flatMap(([audience, ofAudience]) =>
      [...ofAudience]
        .filter(([, score]) => score >= minScore)
        .map(([passage, score]) => ({ key: `${audience}#${passage}`, audience, passage, score })),
    )
    .sort((a, b) => b.score - a.score || b.passage - a.passage)
    .slice(0, depth);
}

/** Full-text index: BM25 with posting lists in the table. Of frequent terms, only the best postings are read. */
export const lexicalIndex: KnowledgeIndex & { readonly rank: typeof rank } = {
  rank,
  add: (scope, audience, passages) => changePostings(scope, audience, toListChanges(passages, "add")),
  remove: (scope, audience, passages) => changePostings(scope, audience, toListChanges(passages, "remove")),
};
