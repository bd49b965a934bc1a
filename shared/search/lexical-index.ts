import { statisticsKey, statisticsOf } from "../data/passage-store.ts";
import {
  changePostings,
  type ListChange,
  type ListHead,
  listHeadOf,
  listKey,
  morePostings,
} from "../data/posting-store.ts";
import { tableOf } from "../data/tenant-scope.ts";
import { type Audience, audiencesOf, type KnowledgeReader } from "../domain/knowledge.ts";
import { averageLengthOf, rarity, type Statistics, termScore } from "./bm25.ts";
import type { IndexedPassage, IndexQuery, KnowledgeIndex, RankedPassage } from "./knowledge-index.ts";
import { boundedOccurrence, collectionTagOf, type Posting } from "./postings.ts";
import { countsOf, termsOf } from "./terms.ts";

/** Different terms of a query that count: with their statistics, in two audiences, they fit into one batch read. */
const mostTerms = 48;

/**
 * Blocks that are read of a term's list beyond its first, about 60 postings each: the reads of a search are bounded,
 * however many passages hold a common word. Rare words, which say most, are always read whole.
 */
const moreBlocks = 40;
/** The same where only some collections are wanted, for most of what is read is then left aside. */
const moreBlocksFiltered = 80;

/** The postings of a passage by term. */
export function postingsOf(passage: IndexedPassage): Map<string, Posting> {
  const inText = countsOf(termsOf(passage.text));
  const inTitle = countsOf([...termsOf(passage.title), ...termsOf(passage.headings)]);
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
export function lengthOf({ text, title, headings }: IndexedPassage): number {
  return [text, title, headings].reduce((length, part) => length + termsOf(part).length, 0);
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

/** One list that a search reads. */
interface QueriedList {
  readonly audience: Audience;
  readonly term: string;
  readonly head: ListHead;
}

/** All that a search reads before it knows how common its terms are, in one call. */
async function beginnings(reader: KnowledgeReader, audiences: readonly Audience[], terms: readonly string[]) {
  const listKeys = audiences.flatMap((audience) =>
    terms.map((term) => ({ audience, term, key: listKey(reader, audience, term) })),
  );
  const statisticsKeys = audiences.map((audience) => statisticsKey(reader, audience));
  const items = await tableOf(reader).getMany([...statisticsKeys, ...listKeys.map(({ key }) => key)]);
  const byPartition = new Map(items.map((item) => [item.pk, item]));
  const all = statisticsKeys.map(({ pk }) => statisticsOf(byPartition.get(pk)));
  const statistics: Statistics = {
    passages: all.reduce((sum, { passages }) => sum + passages, 0),
    length: all.reduce((sum, { length }) => sum + length, 0),
  };
  const lists: QueriedList[] = listKeys
    .map(({ audience, term, key }) => ({ audience, term, head: listHeadOf(byPartition.get(key.pk)) }))
    .filter(({ head }) => head.total > 0);
  return { statistics, lists };
}

async function rank(reader: KnowledgeReader, query: IndexQuery): Promise<RankedPassage[]> {
  const wanted = new Map([...countsOf(termsOf(query.text))].slice(0, mostTerms));
  if (wanted.size === 0) return [];
  const { statistics, lists } = await beginnings(reader, audiencesOf(reader), [...wanted.keys()]);
  const tags = query.collectionIds && new Set(query.collectionIds.map(collectionTagOf));
  const more = tags ? moreBlocksFiltered : moreBlocks;
  const averageLength = averageLengthOf(statistics);
  const scores = new Map(audiencesOf(reader).map((audience) => [audience, new Map<number, number>()]));
  await Promise.all(
    lists.map(async ({ audience, term, head }) => {
      const passagesWithTerm = lists
        .filter((list) => list.term === term)
        .reduce((sum, list) => sum + list.head.total, 0);
      const worth = (wanted.get(term) ?? 1) * rarity(statistics, passagesWithTerm);
      const beyond = head.blocks > 0 ? await morePostings(reader, audience, term, more) : [];
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
