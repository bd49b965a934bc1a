import { afterAll, beforeAll, expect, it } from "vitest";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { getAverageLength, idf, termScore } from "#shared/knowledge/index/bm25.ts";
import type { IndexedPassage, RankedPassage } from "#shared/knowledge/index/knowledge-index.ts";
import { lexicalIndex, toPostings } from "#shared/knowledge/index/lexical-index.ts";
import { allocatePassageNumbers, statisticsWrites } from "#shared/knowledge/index/passage-store.ts";
import type { Posting } from "#shared/knowledge/index/postings.ts";
import { readAudienceStates } from "#shared/knowledge/vectors/audience-states.ts";
import { countOccurrences, extractTerms } from "#shared/lib/language/terms.ts";
import { seededRandom, topicalTexts } from "#test/support/knowledge/synthetic-text.ts";
import { sized } from "#test/support/run-size.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";
import type { ConsumedUnits } from "#test/support/tables/table-proxy.ts";

/** Index sizes in passages at which quality is measured, and the number of queries at each size. */
const sizes = sized({ usual: [200], full: [1_000, 4_000], soak: [1_000, 10_000, 100_000] });
const queryCount = sized({ usual: 30, full: 100 });
const timeoutMs = sized({ usual: 120_000, full: 7_200_000 });

const scope = { tenantId: "quality" };

const random = seededRandom(42);
const pick = (below: number) => Math.floor(random() * below);
const { randomTopic, textAbout } = topicalTexts(random);

/** Reference ranking: exhaustive BM25 over all postings in memory. */
class ExhaustiveIndex {
  readonly #lists = new Map<string, Map<number, Posting>>();
  passages = 0;
  length = 0;

  add(passage: IndexedPassage): void {
    let length = 0;
    for (const [term, posting] of toPostings(passage)) {
      const list = this.#lists.get(term) ?? new Map<number, Posting>();
      this.#lists.set(term, list.set(passage.passage, posting));
      length = posting.length;
    }
    this.passages++;
    this.length += length;
  }

  rank(text: string, count: number): readonly (readonly [number, number])[] {
    const average = getAverageLength(this);
    const scores = new Map<number, number>();
    for (const [term, times] of countOccurrences(extractTerms(text))) {
      const list = this.#lists.get(term) ?? new Map<number, Posting>();
      for (const [passage, posting] of list) {
        const score = termScore(times * idf(this, list.size), posting, average);
        scores.set(passage, (scores.get(passage) ?? 0) + score);
      }
    }
    return [...scores].sort((one, other) => other[1] - one[1] || other[0] - one[0]).slice(0, count);
  }
}

/** Returns nDCG@10 against the reference ranking, whose first passage has gain 10 and tenth gain 1. */
function ndcg(ranked: readonly RankedPassage[], reference: readonly (readonly [number, number])[]): number {
  const gains = new Map(reference.map(([passage], place) => [passage, 10 - place]));
  const discountedGain = (values: readonly number[]) =>
    values.reduce((sum, value, place) => sum + value / Math.log2(place + 2), 0);
  const ideal = discountedGain([...gains.values()]);
  return ideal === 0 ? 1 : discountedGain(ranked.slice(0, 10).map(({ passage }) => gains.get(passage) ?? 0)) / ideal;
}

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table.stop());

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const percentile = (values: readonly number[], fraction: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * fraction)];

it(
  "full-text index of passages ranks results like BM25 over all passages, within a limit of read capacity",
  async () => {
    const reference = new ExhaustiveIndex();
    const reads: number[] = [];
    for (const size of sizes) {
      while (reference.passages < size) {
        const count = Math.min(1_000, size - reference.passages);
        const { first } = await allocatePassageNumbers(scope, "tenant", count);
        const before = reference.length;
        const passages = Array.from({ length: count }, (_, index) => {
          const topic = randomTopic();
          const text = textAbout(topic, 60 + pick(160));
          return {
            passage: first + index,
            collectionId: "c",
            language: "en" as const,
            title: textAbout(topic, 6),
            headings: "",
            text,
          };
        });
        for (const passage of passages) reference.add(passage);
        await lexicalIndex.add(scope, "tenant", passages);
        const length = reference.length - before;
        const change = { audience: "tenant", language: "en", passages: count, length } as const;
        await tenantTable(scope).transact(statisticsWrites(scope, [change]));
      }
      const scores: number[] = [];
      const units: ConsumedUnits[] = [];
      const times: number[] = [];
      for (let query = 0; query < queryCount; query++) {
        const text = textAbout(randomTopic(), 3 + pick(10), 0.5);
        let ranked: readonly RankedPassage[] = [];
        const startedAt = performance.now();
        units.push(
          await table.measure(async () => {
            const states = await readAudienceStates(scope, ["tenant"], { withVectors: false });
            const statistics = new Map([...states].map(([audience, state]) => [audience, state.statistics]));
            ranked = (await lexicalIndex.rank(scope, { text, depth: 600, statistics })).passages;
          }),
        );
        times.push(performance.now() - startedAt);
        scores.push(ndcg(ranked, reference.rank(text, 10)));
      }
      const readUnits = units.map(({ read }) => read);
      reads.push(...readUnits);
      console.info(
        `${size} passages: nDCG@10 against exhaustive BM25 ${average(scores).toFixed(4)}, ` +
          `read units ${average(readUnits).toFixed(1)} (p95 ${percentile(readUnits, 0.95)}, max ${Math.max(...readUnits)}), ` +
          `p50 ${percentile(times, 0.5)?.toFixed(1)} ms, p95 ${percentile(times, 0.95)?.toFixed(1)} ms`,
      );
      expect(average(scores)).toBeGreaterThan(size > 10_000 ? 0.9 : 0.97);
    }
    // Upper bound, at half a read unit per 4 KB: 1 for the statistics of two audiences, 12 for the first blocks of
    // twelve words in both, 37.5 for 300 more blocks of 1 KB, and 6 for rounding up in each list that contains these
    // blocks.
    expect(Math.max(...reads)).toBeLessThanOrEqual(1 + 12 + 37.5 + 6);
  },
  timeoutMs,
);

it("full-text index of passages adds a document of five passages within its limit of write units", async () => {
  const { first } = await allocatePassageNumbers(scope, "tenant", 5);
  const passages = Array.from({ length: 5 }, (_, index) => {
    const text = textAbout(7, 150);
    return {
      passage: first + index,
      collectionId: "c",
      language: "en" as const,
      title: "Some title",
      headings: "",
      text,
    };
  });
  const postings = passages.flatMap((passage) => [...toPostings(passage).keys()]);
  const terms = new Set(postings).size;
  const units = await table.measure(() => lexicalIndex.add(scope, "tenant", passages));
  const repeated = await table.measure(() => lexicalIndex.add(scope, "tenant", passages));
  console.info(
    `5 passages, ${terms} terms: ${units.written} write units, ${units.read} read units, ${units.calls} calls`,
  );
  // Transactions double write units. Each posting writes one block, and each term the first block of its list.
  expect(units.written).toBeLessThan(2.2 * (postings.length + terms));
  expect(repeated.written).toBe(0);
});
