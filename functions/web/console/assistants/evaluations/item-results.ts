import type { TestResult } from "../../../../../shared/api/evaluations/test-runs.ts";

/** Result of a column, compared with that of the first column. */
export type ItemVerdict = "better" | "worse" | "same";

/** Results to one item by column; null where there is none yet. */
export interface ItemResults {
  readonly itemId: string;
  readonly question: string;
  readonly source: TestResult["source"];
  readonly results: readonly (TestResult | null)[];
}

/** Choice of items to show. */
export const resultFilters = ["all", "failed", "worse", "better", "error"] as const;
export type ResultFilter = (typeof resultFilters)[number];

/**
 * Groups results by item, in their order.
 * @param columnCount number of columns of the run
 * @param hasMore true if more results can be loaded, so that the last item is left out until all of its results are there
 */
export function groupByItem(results: readonly TestResult[], columnCount: number, hasMore: boolean): ItemResults[] {
  const items = [...Map.groupBy(results, ({ item_id }) => item_id)].flatMap(([itemId, own]) => {
    const [first] = own;
    if (!first) return [];
    const byColumn = Array.from(
      { length: columnCount },
      (_, column) => own.find((each) => each.column === column) ?? null,
    );
    return [{ itemId, question: first.question, source: first.source, results: byColumn }];
  });
  const isCut = hasMore && items.at(-1)?.results.at(-1) === null;
  return isCut ? items.slice(0, -1) : items;
}

/** Compares the result of a column with that of the first one; null if one of them is missing. */
export function compareWithFirst({ results }: ItemResults, column: number): ItemVerdict | null {
  const [first, other] = [results[0], results[column]];
  if (column === 0 || !first || !other) return null;
  return other.score === first.score ? "same" : other.score > first.score ? "better" : "worse";
}

/** Returns true if a filter includes an item because of one of its columns. */
export function isIncluded(item: ItemResults, filter: ResultFilter): boolean {
  return item.results.some((result, column) => {
    if (filter === "all") return true;
    if (filter === "error") return result?.error != null;
    if (filter === "failed") return result !== null && result.score < 1;
    return compareWithFirst(item, column) === filter;
  });
}
