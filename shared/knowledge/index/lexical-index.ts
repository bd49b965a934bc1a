import { batchGetAll } from "../../dynamodb/batch-get-all.ts";
import { tenantTable } from "../../dynamodb/tenant-scope.ts";
import { type Audience, audiencesOf, type KnowledgeReader } from "../knowledge-access.ts";
import { averageLengthOf, rarity, type Statistics, termScore } from "./bm25.ts";
import type { IndexedPassage, IndexQuery, KnowledgeIndex, RankedPassage } from "./knowledge-index.ts";
import { type Language, languages, rulesOf } from "./languages.ts";
import { type IndexStatistics, statisticsKey, statisticsOf } from "./passage-store.ts";
import { changePostings, type ListChange, type ListHead, listHeadOf, listKey, morePostings } from "./posting-store.ts";
import { boundedOccurrence, collectionTagOf, type Posting } from "./postings.ts";
import { countsOf, termsOf, wordsOf } from "./terms.ts";

/** Different terms of a query that count: with their statistics, in two audiences, they fit into one batch read. */
const mostTerms = 48;
/** Languages besides English that a query is stemmed for. */
const mostLanguages = 4;

/**
 * Blocks that a search reads beyond the first ones of its lists, about 60 postings each: its reads are bounded, however
 * many passages hold a common word.
 */
const moreBlocks = 300;
/** The same where only some collections are wanted, for most of what is read is then left aside. */
const moreBlocksFiltered = 600;

/** The postings of a passage by term. */
export function postingsOf(passage: IndexedPassage): Map<string, Posting> {
  const terms = (text: string) => termsOf(text, passage.language);
  const inText = countsOf(terms(passage.text));
  const inTitle = countsOf([...terms(passage.title), ...terms(passage.headings)]);
  const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((total, count) => total + count, 0);
  const length = sum(inText) + sum(inTitle);
  const collectionTag = collectionTagOf(passage.collectionId);
  return new Map(
    [...new Set([...inText.keys(), ...inTitle.keys()])].map((term) => [
      term,
      {
        passage: passage.passage,
        ...boundedOccurrence({ inText: inText.get(term) ?? 0, inTitle: inTitle.get(term) ?? 0, length }),
        collectionTag,
      },
    ]),
  );
}

/** Terms in a passage, its title and headings included: what the statistics count. */
export function lengthOf({ text, title, headings, language }: IndexedPassage): number {
  return [text, title, headings].reduce((length, part) => length + termsOf(part, language).length, 0);
}

/** The changes of lists that passages bring about. */
function listChanges(passages: readonly IndexedPassage[], what: keyof ListChange): Map<string, ListChange> {
  const changes = new Map<string, ListChange>();
  for (const passage of passages) {
    for (const [term, posting] of postingsOf(passage)) {
      const change = changes.get(term) ?? { add: [], remove: [] };
      change[what].push(posting);
      changes.set(term, change);
    }
  }
  return changes;
}

/** A term that is looked for. */
interface WantedTerm {
  readonly term: string;
  /** The word it comes from, which has other terms in other languages. */
  readonly word: string;
  /** How often it is asked for. */
  readonly times: number;
}

/** One list that a search reads. */
interface QueriedList extends WantedTerm {
  readonly audience: Audience;
  readonly head: ListHead;
}

/** The terms of a query for passages in one language. */
function wantedTerms(text: string, language: Language): WantedTerm[] {
  const words = wordsOf(text, language).flatMap(({ word, terms }) =>
    terms.map((term) => ({ term, word: terms.length > 1 ? term : word })),
  );
  return [...Map.groupBy(words, ({ term }) => term)]
    .slice(0, mostTerms)
    .map(([term, [first, ...others]]) => ({ term, word: first?.word ?? term, times: 1 + others.length }));
}

/** Reads the statistics, and the beginnings of all lists there are of these terms, in one call. */
async function beginnings(reader: KnowledgeReader, audiences: readonly Audience[], terms: readonly WantedTerm[]) {
  const wanted = audiences.flatMap((audience) =>
    terms.map((term) => ({ ...term, audience, key: listKey(reader, audience, term.term) })),
  );
  const statisticsKeys = audiences.map((audience) => statisticsKey(reader, audience));
  const items = await batchGetAll(tenantTable(reader), [...statisticsKeys, ...wanted.map(({ key }) => key)]);
  const byPartition = new Map(items.map((item) => [item.pk, item]));
  const lists: QueriedList[] = wanted
    .map(({ key, ...list }) => ({ ...list, head: listHeadOf(byPartition.get(key.pk)) }))
    .filter(({ head }) => head.total > 0);
  return { statistics: statisticsKeys.map(({ pk }) => statisticsOf(byPartition.get(pk))), lists };
}

const passagesIn = (statistics: readonly IndexStatistics[], language: Language) =>
  statistics.reduce((sum, { byLanguage }) => sum + (byLanguage[language] ?? 0), 0);

/** The languages besides English that most passages are in. */
function otherLanguages(statistics: readonly IndexStatistics[]): Language[] {
  return languages
    .filter((language) => language !== "en" && passagesIn(statistics, language) > 0)
    .sort((one, other) => passagesIn(statistics, other) - passagesIn(statistics, one))
    .slice(0, mostLanguages);
}

/**
 * How many passages there are with each word. In a language where it says nothing it is not indexed, but taken to be
 * everywhere: else it would be rare, and seem to say a lot, in the others.
 */
function frequencies(lists: readonly QueriedList[], statistics: readonly IndexStatistics[]): Map<string, number> {
  const silent = (word: string) =>
    languages
      .filter((language) => rulesOf(language).stopWords.has(word))
      .reduce((sum, language) => sum + passagesIn(statistics, language), 0);
  const found = Map.groupBy(lists, ({ word }) => word);
  return new Map(
    [...found].map(([word, its]) => [word, its.reduce((sum, { head }) => sum + head.total, silent(word))]),
  );
}

/** The beginnings of the lists for passages in these languages, without those that were read already. */
async function otherLists(
  reader: KnowledgeReader,
  audiences: readonly Audience[],
  text: string,
  others: readonly Language[],
  known: readonly WantedTerm[],
): Promise<QueriedList[]> {
  const terms = new Set(known.map(({ term }) => term));
  const wanted = others.flatMap((language) => wantedTerms(text, language)).filter(({ term }) => !terms.has(term));
  return wanted.length > 0 ? (await beginnings(reader, audiences, wanted)).lists : [];
}

/**
 * Lists that go on after their first block, with how many more blocks to read of each. The shortest come first: a rare
 * word says most, and is cheap to read to its end. Of the commonest only what is best is looked at.
 */
function furtherReading(lists: readonly QueriedList[], blocks: number): ReadonlyMap<QueriedList, number> {
  let left = blocks;
  const shares = lists
    .toSorted((one, other) => one.head.blocks - other.head.blocks)
    .map((list) => {
      const share = Math.min(left, list.head.blocks);
      left -= share;
      return [list, share] as const;
    });
  return new Map(shares.filter(([, share]) => share > 0));
}

async function rank(reader: KnowledgeReader, query: IndexQuery): Promise<RankedPassage[]> {
  const audiences = audiencesOf(reader);
  const english = wantedTerms(query.text, "en");
  const { statistics: each, lists: ofEnglish } = await beginnings(reader, audiences, english);
  const lists = [...ofEnglish, ...(await otherLists(reader, audiences, query.text, otherLanguages(each), english))];
  const passagesWith = frequencies(lists, each);
  const statistics: Statistics = {
    passages: each.reduce((sum, { passages }) => sum + passages, 0),
    length: each.reduce((sum, { length }) => sum + length, 0),
  };
  const tags = query.collectionIds && new Set(query.collectionIds.map(collectionTagOf));
  const further = furtherReading(lists, tags ? moreBlocksFiltered : moreBlocks);
  const averageLength = averageLengthOf(statistics);
  const scores = new Map(audiences.map((audience) => [audience, new Map<number, number>()]));
  await Promise.all(
    lists.map(async (list) => {
      const { audience, term, word, times, head } = list;
      const worth = times * rarity(statistics, Math.min(passagesWith.get(word) ?? 0, statistics.passages));
      const more = further.get(list);
      const beyond = more ? await morePostings(reader, audience, term, more) : [];
      const scored = scores.get(audience);
      for (const posting of [...head.postings, ...beyond]) {
        if (tags && !tags.has(posting.collectionTag)) continue;
        const { passage } = posting;
        scored?.set(passage, (scored.get(passage) ?? 0) + termScore(worth, posting, averageLength));
      }
    }),
  );
  return best(scores, query.depth);
}

/** The best of all passages, best first. Most of thousands are nowhere near, so they are never put in order. */
function best(scores: ReadonlyMap<Audience, ReadonlyMap<number, number>>, depth: number): RankedPassage[] {
  const all = Float64Array.from([...scores.values()].flatMap((scored) => [...scored.values()])).sort();
  const least = all.at(-depth) ?? 0;
  return [...scores]
    .flatMap(([audience, scored]) =>
      [...scored]
        .filter(([, score]) => score >= least)
        .map(([passage, score]) => ({ key: `${audience}#${passage}`, audience, passage, score })),
    )
    .sort((one, other) => other.score - one.score || other.passage - one.passage)
    .slice(0, depth);
}

/** Finds passages by the words in them: BM25 over postings in the table. Common words are read as far as their best. */
export const lexicalIndex: KnowledgeIndex = {
  rank,
  add: (scope, audience, passages) => changePostings(scope, audience, listChanges(passages, "add")),
  remove: (scope, audience, passages) => changePostings(scope, audience, listChanges(passages, "remove")),
};
