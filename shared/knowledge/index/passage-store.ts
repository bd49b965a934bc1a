import * as v from "valibot";
import { batchGetAll } from "../../dynamodb/batch-get-all.ts";
import { itemReader, trusted } from "../../dynamodb/item-reader.ts";
import { keys } from "../../dynamodb/keys.ts";
import type { Item, Key, Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { type Language, languages } from "../../lib/language/languages.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import type { Audience } from "../knowledge-access.ts";
import type { Statistics } from "./bm25.ts";
import { StoredSegments } from "./passage-segments.ts";

const StoredPassage = v.object({
  /** Number of the passage within its audience. */
  passage: v.number(),
  document_id: v.string(),
  collection_id: v.string(),
  /** Position in the document, from 0. */
  place: v.number(),
  headings: v.string(),
  /** Page on which the passage starts, from 1; absent in documents without pages. */
  page: v.optional(v.number()),
  segments: v.optional(StoredSegments),
  text: v.string(),
  /** Vector of the passage with one byte per dimension; absent without an embedding provider. */
  vector: v.optional(trusted<Uint8Array>()),
  /** Concatenated binary codes of the vectors of the passage's sentences; absent if there is only one sentence. */
  sentences: v.optional(trusted<Uint8Array>()),
  /** Id of the embedding space of the vectors. */
  space: v.optional(v.string()),
});
export type StoredPassage = v.InferOutput<typeof StoredPassage>;

/**
 * Returns the location of a passage in its document in the form of the API. There, `passage` is the position in the
 * document (`place`), and not the number within the audience (`passage` of `StoredPassage`).
 */
export const toLocation = ({ place, page, headings }: StoredPassage) => ({
  passage: place,
  page: page ?? null,
  heading: headings || null,
});

const readPassage = itemReader(StoredPassage);

/**
 * Allocates consecutive passage numbers, which are unique within an audience.
 * @returns the first number, and the statistics of the audience
 */
export async function allocatePassageNumbers(
  scope: TenantScope,
  audience: Audience,
  count: number,
): Promise<{ readonly first: number; readonly statistics: IndexStatistics }> {
  const item = await tenantTable(scope).write({
    update: keys.indexStatistics(scope.tenantId, audience),
    setIfAbsent: { discriminator: "index-statistics" },
    add: { next: count },
  });
  return { first: Number(item?.next) - count, statistics: readStatistics(item) };
}

/** Statistics of all passages of an audience. */
export interface IndexStatistics extends Statistics {
  /** Number of passages by language. */
  readonly byLanguage: Readonly<Partial<Record<Language, number>>>;
}

const toCounterName = (language: Language) => `passages_${language}`;

/** Change to the statistics of one audience. Negative numbers subtract. */
export interface StatisticsChange extends Statistics {
  readonly audience: Audience;
  readonly language: Language;
}

/**
 * Returns the writes that change statistics. There is one per audience, because a transaction may write an item only
 * once.
 */
export function statisticsWrites({ tenantId }: TenantScope, changes: readonly StatisticsChange[]): Write[] {
  return [...Map.groupBy(changes, ({ audience }) => audience)].map(([audience, ofAudience]) => {
    const add: Record<string, number> = {};
    for (const { language, passages, length } of ofAudience) {
      for (const [name, number] of Object.entries({ passages, length, [toCounterName(language)]: passages })) {
        add[name] = (add[name] ?? 0) + number;
      }
    }
    return { update: keys.indexStatistics(tenantId, audience), set: { timestamp: now() }, add };
  });
}

/** Returns the key of an audience's statistics, for reading it in one batch with other items. */
export const statisticsKey = (scope: TenantScope, audience: Audience) => keys.indexStatistics(scope.tenantId, audience);

/** Reads statistics from their item. A missing item has zero passages. */
export function readStatistics(item: Item | undefined): IndexStatistics {
  const counts = languages.map((language) => [language, Number(item?.[toCounterName(language)] ?? 0)] as const);
  return {
    passages: Number(item?.passages ?? 0),
    length: Number(item?.length ?? 0),
    byLanguage: Object.fromEntries(counts.filter(([, passages]) => passages > 0)),
  };
}

/** Stores passages; a passage with the same number is replaced. */
export async function putPassages(
  scope: TenantScope,
  audience: Audience,
  passages: readonly StoredPassage[],
): Promise<void> {
  const table = tenantTable(scope);
  await mapConcurrent(passages, (entry) => {
    const passage = v.parse(StoredPassage, entry);
    return table.write({
      put: { ...keys.passage(scope.tenantId, audience, passage.passage), discriminator: "passage", ...passage },
    });
  });
}

/** Returns the passages with the given numbers, in no particular order. Missing ones are left out. */
export async function findPassages(
  scope: TenantScope,
  refs: readonly { readonly audience: Audience; readonly passage: number }[],
): Promise<(StoredPassage & { readonly audience: Audience })[]> {
  const toMapKey = ({ pk, sk }: Key) => `${pk} ${sk}`;
  const requests = new Map(
    refs.map(({ audience, passage }) => {
      const key = keys.passage(scope.tenantId, audience, passage);
      return [toMapKey(key), { key, audience }] as const;
    }),
  );
  const items = await batchGetAll(
    tenantTable(scope),
    [...requests.values()].map(({ key }) => key),
  );
  return items.map((item) => ({
    ...readPassage(item),
    audience: requests.get(toMapKey(item))?.audience ?? "tenant",
  }));
}

/** Returns the passages in the block of 256 numbers that contains `number`. Each block is one partition. */
export async function readPassageBlock(
  scope: TenantScope,
  audience: Audience,
  number: number,
): Promise<StoredPassage[]> {
  const { pk } = keys.passage(scope.tenantId, audience, number);
  return (await tenantTable(scope).query({ pk, consistent: true })).map(readPassage);
}

export async function deletePassages(
  scope: TenantScope,
  audience: Audience,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => first + index);
  await tenantTable(scope).deleteMany(numbers.map((number) => keys.passage(scope.tenantId, audience, number)));
}
