import type { Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { documentCountWrite } from "../collection-store.ts";
import { activationWrite, deactivationWrite, findReplaced } from "../document-state.ts";
import { findDocuments, type StoredDocument } from "../document-store.ts";
import { type StatisticsChange, statisticsWrites } from "../index/passage-store.ts";
import type { Placement } from "../placement.ts";
import type { PlacedDocument } from "./change-index.ts";
import { ignoreAlreadyCounted } from "./ignore-gone.ts";

/** Maximum number of documents per transaction of 100 writes, which also update statistics of at most two audiences for each. */
const MAX_DOCUMENTS_PER_TRANSACTION = 33;

/** Write to one document or message, and the changes of statistics that belong to it. */
interface DocumentChange {
  readonly write: Write;
  readonly statistics: readonly StatisticsChange[];
  /** Change of the number of documents with narrower readers. */
  readonly narrowed?: { readonly collection_id: string; readonly change: number };
}

export const toStatistics = ({ audience, language, count, length }: Placement, sign: 1 | -1): StatisticsChange => ({
  audience,
  language,
  passages: sign * count,
  length: sign * length,
});

function narrowedWrites(scope: TenantScope, changes: readonly DocumentChange[]): Write[] {
  const counts = new Map<string, number>();
  for (const { narrowed: { collection_id, change } = { collection_id: "", change: 0 } } of changes) {
    if (change !== 0) counts.set(collection_id, (counts.get(collection_id) ?? 0) + change);
  }
  return [...counts].map(([id, narrowed]) => documentCountWrite(scope, id, { documents: 0, narrowed }));
}

/**
 * Changes documents and statistics in the same transactions, so that each placement is counted exactly once. Documents
 * that were changed concurrently are left out.
 */
export async function changeWithStatistics(scope: TenantScope, changes: readonly DocumentChange[]): Promise<void> {
  const table = tenantTable(scope);
  const toTransaction = (group: readonly DocumentChange[]) => [
    ...group.map(({ write }) => write),
    ...statisticsWrites(
      scope,
      group.flatMap(({ statistics }) => statistics),
    ),
    ...narrowedWrites(scope, group),
  ];
  for (let start = 0; start < changes.length; start += MAX_DOCUMENTS_PER_TRANSACTION) {
    const group = changes.slice(start, start + MAX_DOCUMENTS_PER_TRANSACTION);
    try {
      await table.transact(toTransaction(group));
    } catch (error) {
      ignoreAlreadyCounted(error);
      await mapConcurrent(group, (change) => table.transact(toTransaction([change])).catch(ignoreAlreadyCounted), 4);
    }
  }
}

/**
 * Activates the new placements of documents, so that searches find them.
 * @returns the documents with old placements to remove
 */
export async function activatePlacements(
  scope: TenantScope,
  added: readonly PlacedDocument[],
): Promise<StoredDocument[]> {
  await changeWithStatistics(
    scope,
    added.map(({ document, placement: next }) => {
      const replaced = findReplaced(document);
      return {
        write: activationWrite(scope, document, { ...next, indexed: next.count }),
        statistics: [toStatistics(next, 1), ...(replaced ? [toStatistics(replaced, -1)] : [])],
      };
    }),
  );
  const replaced = added.filter(
    ({ document }) => findReplaced(document) !== undefined || document.retired !== undefined,
  );
  const current = await findDocuments(
    scope,
    replaced.map(({ document }) => document),
  );
  return current.filter(({ retired = [] }) => retired.length > 0);
}

/**
 * Deactivates the placements of documents: subtracts them from the statistics and schedules the removal of their
 * passages.
 */
export async function deactivatePlacements(scope: TenantScope, documents: readonly StoredDocument[]): Promise<void> {
  await changeWithStatistics(
    scope,
    documents.flatMap((document) => {
      const { placement, staged_placement, next_placement: next, retired = [] } = document;
      const placements = [placement, staged_placement].filter((each) => each !== undefined);
      if (placements.length === 0) return [];
      const current = { ...document, retired: next ? [...retired, next] : retired };
      const statistics = placements.map((each) => toStatistics(each, -1));
      return [{ write: deactivationWrite(scope, current, placements), statistics }];
    }),
  );
}
