import { batchGetAll } from "../../dynamodb/batch-get-all.ts";
import { keys } from "../../dynamodb/keys.ts";
import type { Item, Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import type { Audience } from "../knowledge-access.ts";
import type { Statistics } from "./bm25.ts";
import { type Language, languages } from "./languages.ts";

/** A passage of a document as the index keeps it. */
export interface StoredPassage {
  readonly passage: number;
  readonly document_id: string;
  readonly collection_id: string;
  /** Its place in the document, from 0. */
  readonly place: number;
  readonly headings: string;
  readonly text: string;
}

/**
 * Takes numbers for passages: each is given once, in one audience.
 * @returns the first of them
 */
export async function takePassageNumbers(scope: TenantScope, audience: Audience, count: number): Promise<number> {
  const item = await tenantTable(scope).write({
    update: keys.indexStatistics(scope.tenantId, audience),
    setIfAbsent: { discriminator: "index-statistics" },
    add: { next: count },
  });
  return Number(item?.next) - count;
}

/** What is known of all passages of an audience. */
export interface IndexStatistics extends Statistics {
  /** Passages in languages of their own rules. */
  readonly byLanguage: Readonly<Partial<Record<Language, number>>>;
}

const countName = (language: Language) => `passages_${language}`;

/** The write that counts passages of one language in, or out where the numbers are negative. */
export function statisticsWrite(
  scope: TenantScope,
  audience: Audience,
  language: Language,
  { passages, length }: Statistics,
): Write {
  return {
    update: keys.indexStatistics(scope.tenantId, audience),
    set: { timestamp: now() },
    add: { passages, length, [countName(language)]: passages },
  };
}

/** The key of an audience's statistics, for reading them along with other items. */
export const statisticsKey = (scope: TenantScope, audience: Audience) => keys.indexStatistics(scope.tenantId, audience);

/** Statistics as they lie in the table. */
export function statisticsOf(item: Item | undefined): IndexStatistics {
  const counts = languages.map((language) => [language, Number(item?.[countName(language)] ?? 0)] as const);
  return {
    passages: Number(item?.passages ?? 0),
    length: Number(item?.length ?? 0),
    byLanguage: Object.fromEntries(counts.filter(([, passages]) => passages > 0)),
  };
}

/** Stores passages; storing them again changes nothing. */
export async function putPassages(
  scope: TenantScope,
  audience: Audience,
  passages: readonly StoredPassage[],
): Promise<void> {
  const table = tenantTable(scope);
  await mapConcurrent(passages, (passage) =>
    table.write({
      put: { ...keys.passage(scope.tenantId, audience, passage.passage), discriminator: "passage", ...passage },
    }),
  );
}

/** Those of the passages that are there, in no particular order. */
export async function findPassages(
  scope: TenantScope,
  wanted: readonly { readonly audience: Audience; readonly passage: number }[],
): Promise<(StoredPassage & { readonly audience: Audience })[]> {
  const byKey = new Map(
    wanted.map(({ audience, passage }) => {
      const key = keys.passage(scope.tenantId, audience, passage);
      return [`${key.pk} ${key.sk}`, { key, audience }] as const;
    }),
  );
  const items = await batchGetAll(
    tenantTable(scope),
    [...byKey.values()].map(({ key }) => key),
  );
  return items.map((item) => ({
    ...(item as unknown as StoredPassage),
    audience: byKey.get(`${item.pk} ${item.sk}`)?.audience ?? "tenant",
  }));
}

/** Removes passages by their numbers. */
export async function deletePassages(
  scope: TenantScope,
  audience: Audience,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => first + index);
  await tenantTable(scope).deleteMany(numbers.map((number) => keys.passage(scope.tenantId, audience, number)));
}
