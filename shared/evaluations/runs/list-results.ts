import type { UserPrincipal } from "../../auth/principal.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../../dynamodb/pagination.ts";
import type { Item } from "../../dynamodb/table.ts";
import { requireFound } from "../../lib/errors.ts";
import { SourceReader } from "../readable-items.ts";
import { authorizeTestSet } from "../test-set-store.ts";
import { readResult, resultsOf, type StoredResult } from "./result-store.ts";
import { findTestRun, type StoredTestRun } from "./test-run-store.ts";

/** Returns a run of a set that the user can change. @throws ServiceError `not_found`, `forbidden` */
export async function authorizeTestRun(principal: UserPrincipal, id: string): Promise<StoredTestRun> {
  const run = requireFound(await findTestRun(principal, id));
  await authorizeTestSet(principal, run.set_id);
  return run;
}

interface ResultFilters {
  readonly column?: number | undefined;
  readonly outcome?: "passed" | "failed" | undefined;
}

const matches = ({ column, score }: StoredResult, filters: ResultFilters) =>
  (filters.column === undefined || filters.column === column) &&
  (filters.outcome === undefined || (filters.outcome === "passed") === (score === 1));

/** Lists the results of a run that the user may read, by item and column. @throws ServiceError `invalid_cursor` */
export async function listReadableResults(
  principal: UserPrincipal,
  runId: string,
  { limit, cursor, ...filters }: ResultFilters & PageRequest,
): Promise<Page<StoredResult>> {
  const reader = new SourceReader(principal);
  const where = async (item: Item) => {
    const result = readResult(item);
    return matches(result, filters) && (await reader.canRead(result));
  };
  const list = { list: "test-results", filters: { runId, ...filters }, ...resultsOf(principal, runId), where };
  return mapPage(await listPage(principal, list, { limit, ...(cursor && { cursor }) }), readResult);
}

/** Returns all results of a run that the user may read. */
export async function readAllResults(
  principal: UserPrincipal,
  runId: string,
  filters: ResultFilters,
): Promise<StoredResult[]> {
  const results: StoredResult[] = [];
  let cursor: string | undefined;
  do {
    const page = await listReadableResults(principal, runId, { ...filters, limit: 1_000, ...(cursor && { cursor }) });
    results.push(...page.entries);
    cursor = page.next ?? undefined;
  } while (cursor);
  return results;
}
